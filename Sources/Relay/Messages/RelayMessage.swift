import Identity
import Rooms
import Sessions
import Store
import Transport

/// What one part of the relay tells another.
///
/// A message is a value: it can be logged, counted and repeated, and it can be sent to another machine. A part of the same
/// shard takes it as soon as the part that sent it is done (`RelayContext.asOne`); another shard takes it from its mailbox.
package enum RelayMessage: Sendable {
    /// To the home of a room.
    case home(RoomID, HomeMessage)
    /// To all rooms whose home is a shard.
    case homes(HomesMessage)
    /// Positions of members, for rooms whose home is a shard.
    case touches([TouchParcel])
    /// To a client. The message is lost when the client has gone.
    case client(ConnectionID, ClientMessage)
    /// To the edge of a shard.
    case edge(EdgeMessage)
    /// To the shard that a `pid` names.
    case returns(ReturnsMessage)
}

/// What the home of one room is told.
package enum HomeMessage: Sendable {
    /// A client wants to come in.
    case enter(Entry)
    /// A connection is not in the room any more, or does not want to come in any more. If that is not for good, its person
    /// stays in the room for the grace.
    case leave(ConnectionID, isForGood: Bool)
    /// A member stops touching.
    case endTouch(ConnectionID)
    /// A member changes an element.
    case change(ElementRequest, ElementAsker)
    /// The REST interface changes an element for a person who need not be in the room.
    case changeFromOutside(ElementOrder, info: [UInt8], ElementAsker)
    /// The server or an operator does something to a room that is in use.
    case command(RoomCommand, question: UInt64)
    /// People were put out of the room, or it was closed: a permission of before does not let anybody in.
    case permissionsChanged
    /// A subscriber that lacked a delta has given the room up.
    case gaveUp(DeltaSink)
    /// What the room was left with.
    case loaded(Result<RoomContents?, RoomError>)
    /// The store has answered an append.
    case appended(incarnation: UInt64, Result<UInt64, StoreError>, took: Duration)
}

/// What all homes of a shard are told.
package enum HomesMessage: Sendable {
    /// The store can store again.
    case storeIsGood
    /// Which files do elements show of which the store does not know yet?
    case mediaNotStored(question: UInt64)
}

/// What a client of a shard is told, or its edge on its behalf.
package enum ClientMessage: Sendable {
    /// A room has let the client in.
    case entered(Entry.Purpose, RoomID, home: Int, EntryAnswer)
    /// A room has not let the client in.
    case notEntered(Entry.Purpose, RoomID, RoomError)
    /// A client that comes back is beyond its budget and waits.
    case enterLater(ReturningRoom, milliseconds: Int)
    /// The permission to enter may have ended meanwhile.
    case lookUpAgain(Entry)
    /// The change that the client asked for is made and stored.
    case changed(SocketCall, ElementOutcome)
    /// What the client asked for was not done.
    case refused(ClientEvent, SocketCall, RoomError)
    /// The store knows that the client has left a room, or could not note it.
    case left(SocketCall, RoomError?)
    /// The client was put out of a room. Whatever it asked the room for and was not answered has that error.
    case evicted(RoomID, reason: String, RoomError)
}

/// What the edge of a shard is told.
package enum EdgeMessage: Sendable {
    /// A new turn has begun, which may write more states of rooms.
    case welcomeMore
    /// What has happened in a room.
    case delta(RoomID, RoomDelta)
    /// The shard lacks a delta of a room: it gives the room up and tells the room's home, which is that shard.
    case giveUp(RoomID, home: Int)
    /// The directory has answered whether a client may be in a room, and how the room is shown to it.
    case lookedUp(UInt64, Result<[UInt8], RoomError>)
    /// A client claims to be the one behind a connection.
    case takeOver(ConnectionID, RecoveryClaim)
    /// What a client goes on with that has claimed to be one of before; nil for nothing.
    case claimAnswered(UInt64, LostClient?)
    /// The store can store again.
    case storeIsGood
    /// The verifier has looked at a client's token.
    case verified(UInt64, Result<VerifiedToken, TokenError>)
}

/// What the shard is told that a `pid` names.
package enum ReturnsMessage: Sendable {
    /// A client claims a `pid`.
    case claim(RecoveryClaim)
    /// A connection that was to be taken over has ended meanwhile: what it left is here by now.
    case claimAgain(RecoveryClaim)
    /// The seats that the store has of a `pid`.
    case remembered(RecoveryClaim, [Seat])
    /// A claim has come to an end.
    case settled(SessionID)
    /// A client has connected under a `pid`; without a connection if that has ended at once.
    case connected(SessionID, ConnectionID?)
    /// A connection has ended. `LostClient` is nil when its client does not come back.
    case ended(SessionID, ConnectionID, LostClient?)
    /// What a client was to go on with is given back, since the client has gone before it could.
    case givenBack(LostClient)
}
