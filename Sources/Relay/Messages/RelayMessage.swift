import Identity
import Rooms
import Sessions
import Store
import Transport

/// A message from one part of the relay to another.
///
/// A message is a value: it can be logged, counted and repeated, and it can be sent to another machine. A part of the
/// same shard gets it as soon as the sender is done (`RelayContext.asOne`). Another shard gets it from its mailbox.
package enum RelayMessage: Sendable {
    /// To the home of a room.
    case home(RoomID, HomeMessage)
    /// To all rooms whose home is a shard.
    case homes(HomesMessage)
    /// Positions of members, for rooms whose home is a shard.
    case touches([TouchParcel])
    /// To a client. The message is dropped when the client has gone.
    case client(ConnectionID, ClientMessage)
    /// To the edge of a shard.
    case edge(EdgeMessage)
    /// To the shard that a `pid` names.
    case returns(ReturnsMessage)
    /// To the outpost of a room whose home is another node, from that node.
    case outpost(RoomID, OutpostMessage, from: Int)
    /// To the edge of a shard of another node.
    case far(shard: Int, EdgeMessage)
    /// The answer of another node to a question of this one.
    case answer(UInt64, Questions.Answer)
    /// To a node from another one: what an operator orders of all nodes.
    case order(NodeOrder, question: UInt64)
    /// To a node from another one: a question of operators, which the relay does not read.
    case consult([UInt8], question: UInt64)
    /// To a node from another one, which is about to delete these files, in place of those that it has named before.
    case condemned([String], question: UInt64)
    /// To a node from another one: an event for a user, who may be there.
    case personal(PersonalEvent)
    /// To a shard: about another node.
    case peer(PeerMessage)
    /// From a shard to itself, behind what others have sent it.
    indirect case own(RelayMessage)
}

/// How a connection leaves a room.
package enum Leaving: Int, Sendable {
    /// Its user wants to leave.
    case forGood = 1
    /// It has ended. Its participant stays for the grace.
    case lost
    /// It is about to enter again, so its touch goes on. If it does not, participant and touch end with the grace.
    case entersAgain
}

/// A message to the home of one room.
package enum HomeMessage: Sendable {
    /// A client wants to enter.
    case enter(Entry)
    /// A connection is not in the room any more, or does not want to enter it any more.
    case leave(ConnectionID, Leaving)
    /// The directory does not let a connection into the room again. What it has sent before is for nobody any more.
    case notPermitted(ConnectionID)
    /// A member ends its touch.
    case endTouch(ConnectionID, number: UInt64 = 0)
    /// A member writes at another place, or ceases to write.
    case caret(ConnectionID, Caret?)
    /// A member sees this part of the room. For the outpost on the member's node.
    case view(ConnectionID, ViewArea)
    /// The members on a node see these squares; nil for everything.
    case sight(node: Int, SquareSet?)
    /// A member changes an element.
    case change(ElementRequest, ElementAsker)
    /// REST changes an element for a user who need not be in the room.
    case changeFromOutside(ElementOrder, info: [UInt8], ElementAsker)
    /// The server or an operator sends a command to a room in use.
    case command(RoomCommand, question: UInt64)
    /// A user was removed from the room, or the room was closed: an earlier permission is not valid any more.
    case permissionsChanged
    /// A subscriber that lacked a delta has given the room up.
    case gaveUp(DeltaSink)
    /// The stored contents of the room.
    case loaded(Result<FoundRoom, RoomError>)
    /// Whether this node is still home to the room, under this fence; nil when the store cannot say it.
    case isHome(Bool?, fence: Int64)
    /// The store has answered an append.
    case appended(incarnation: UInt64, Result<UInt64, StoreError>, took: Duration)
    /// Whether the store has counted that members were told what it will never have.
    case lossCounted(Bool)
    /// Whether the store knows that the room has no home any more.
    case released(isStored: Bool)
    /// A node that was told that this one gives the room away knows the room's next home now.
    case foundNext
    /// What has become of a recording of the room.
    case recording(RecordingNews)
}

extension HomeMessage {
    /// The node of the client or the question that the message is from; nil for messages of one node.
    var origin: Int? {
        switch self {
        case .enter(let entry): entry.connection.node
        case .leave(let connection, _), .endTouch(let connection, _), .caret(let connection, _),
            .view(let connection, _):
            connection.node
        case .sight(let node, _): node
        case .change(_, let asker), .changeFromOutside(_, _, let asker): asker.node
        case .command(_, let question): Questions.node(of: question)
        case .notPermitted, .permissionsChanged, .gaveUp, .loaded, .isHome, .appended, .lossCounted, .released,
            .foundNext, .recording:
            nil
        }
    }
}

/// What was found where a room's contents are kept.
package enum FoundRoom: Sendable {
    /// This server is home to the room. `fence` is set in a cluster.
    case here(RoomContents?, fence: Int64?)
    /// Another node is home to the room.
    case elsewhere(Int)
}

/// A message to all homes of a shard.
package enum HomesMessage: Sendable {
    /// The store has recovered.
    case storeIsGood
    /// The database was started, or another one is in its place: it may lack what was stored.
    case databaseWasStarted
    /// This node ends: its rooms go to other nodes.
    case handOver
    /// Asks for the files that elements show and the store does not know yet.
    case mediaNotStored(question: UInt64)
}

/// A message to a client of a shard, or to its edge on the client's behalf.
package enum ClientMessage: Sendable {
    /// A room has admitted the client.
    case entered(Entry.Purpose, RoomID, home: Int, EntryAnswer)
    /// A room has not admitted the client.
    case notEntered(Entry.Purpose, RoomID, RoomError)
    /// A client that comes back has used up its budget and waits.
    case enterLater(ReturningRoom, milliseconds: Int)
    /// The client's permission may have ended meanwhile: ask the directory again.
    case lookUpAgain(Entry)
    /// The change that the client asked for is made and stored.
    case changed(SocketCall, ElementOutcome)
    /// The client's request was refused.
    case refused(ClientEvent, SocketCall, RoomError)
    /// The store knows that the client has left a room, or could not store it.
    case left(SocketCall, RoomError?)
    /// The client was removed from a room. Its requests that the room has not answered get this error.
    case evicted(RoomID, reason: String, RoomError)
}

/// A message to the edge of a shard.
package enum EdgeMessage: Sendable {
    /// A new turn has begun, which may write more states of rooms.
    case welcomeMore
    /// The changes of a room.
    case delta(RoomID, RoomDelta)
    /// The shard lacks a delta of a room: it gives the room up and tells the room's home, which is on that shard.
    case giveUp(RoomID, home: Int)
    /// The shard lacks a delta of a room, or the room has another home: its members enter it again.
    case resync(RoomID)
    /// The directory's answer: whether a client may be in a room, and the room's description.
    case lookedUp(UInt64, Result<[UInt8], RoomError>)
    /// A client claims to be the client of a connection.
    case takeOver(ConnectionID, RecoveryClaim)
    /// The answer to a claim: the state with which the client continues, or nil.
    case claimAnswered(UInt64, LostClient?)
    /// A seat of a connection is to be deleted, unless its client is in the room again.
    case standAgain(ConnectionID, SeatRemoval)
    /// What an operator orders.
    case order(NodeOrder, question: UInt64)
    /// An event for a user, who may have connections here.
    case personal(PersonalEvent)
    /// The store has recovered.
    case storeIsGood
    /// The verifier's answer for a client's token.
    case verified(UInt64, Result<VerifiedToken, TokenError>)
}

/// A message to the shard that a `pid` names.
package enum ReturnsMessage: Sendable {
    /// A client claims a `pid`.
    case claim(RecoveryClaim)
    /// A connection that should have been taken over has ended meanwhile. Its state is here by now.
    case claimAgain(RecoveryClaim)
    /// The store's seats of a `pid`.
    case remembered(RecoveryClaim, [Seat])
    /// A claim has ended.
    case settled(SessionID)
    /// A client has connected under a `pid`; without a connection if that has ended at once.
    case connected(SessionID, ConnectionID?)
    /// A connection has ended. `LostClient` is nil when its client cannot come back.
    case ended(SessionID, ConnectionID, LostClient?)
    /// The state of a client is given back, because the client has gone before it could continue.
    case givenBack(LostClient)
    /// The store could not delete a seat.
    case notStood(SeatRemoval)

    /// The `pid` that the message is about.
    package var pid: SessionID {
        switch self {
        case .claim(let claim), .claimAgain(let claim), .remembered(let claim, _): claim.pid
        case .settled(let pid), .connected(let pid, _), .ended(let pid, _, _): pid
        case .givenBack(let lost): lost.pid
        case .notStood(let removal): removal.pid
        }
    }
}
