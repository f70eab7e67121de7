import Rooms
import Testing
import Wire

@testable import Relay
@testable import Sessions

/// What a client says of itself in CONNECT.
@Suite struct ConnectPayloadTests {
    private func payload(_ json: String) throws -> ConnectPayload { try ConnectPayload(Array(json.utf8)) }

    @Test func itsMembersAreFoundInAnyOrderAmongOthers() throws {
        let pid = SessionID(shard: 1)
        let read = try payload(
            #"{"more":[{"token":"no"}],"offset":"5.6.7","pid":"\#(pid)","token":"Bearer a \u0041","rooms":{"text":"edits"}}"#
        )
        #expect(read.token == "a A" && read.pid == pid && read.offset == LogOffset("5.6.7") && read.wantsEdits)
    }

    @Test(arguments: [
        "{}", #"{"token":null,"pid":null,"offset":null,"rooms":null}"#, #"{"pid":[],"offset":{},"rooms":"x"}"#,
    ])
    func whatIsMissingOrOfAnotherTypeIsNotThere(json: String) throws {
        let read = try payload(json)
        #expect(read.token == nil && read.pid == nil && read.offset == nil)
        #expect(read.touches == nil && read.asksForOffsets == nil && !read.wantsEdits)
    }

    /// A client that sends a number as its token must not come in as an anonymous user.
    @Test func aTokenThatIsNoTextCountsAsAnInvalidToken() throws {
        #expect(try payload(#"{"token":7}"#).token == "?")
    }

    @Test(arguments: [
        (#"{"touch":"batch"}"#, DeliveryForm.batches),
        (#"{"touch":"binary"}"#, .ticks(decimals: TickHeader.decimalsDefault)),
        (#"{"decimals":1,"touch":"binary"}"#, .ticks(decimals: 1)),
        (#"{"touch":"binary","decimals":99}"#, .ticks(decimals: TickHeader.decimalsDefault)),
        (#"{"touch":"unknown"}"#, nil), (#"{"touch":5}"#, nil),
    ])
    func theFormOfPositionsIsOneThatIsKnown(wishes: String, form: DeliveryForm?) throws {
        #expect(try payload(#"{"rooms":\#(wishes)}"#).touches == form)
    }

    @Test(arguments: [true, false]) func whetherOffsetsAreWantedIsSaid(wants: Bool) throws {
        #expect(try payload(#"{"rooms":{"recovery":\#(wants)}}"#).asksForOffsets == wants)
    }

    /// The whole payload is checked with the one pass that finds its members.
    @Test(arguments: [
        "", "[]", "7", #"{"token":"a""#, #"{"token":"a"}}"#, #"{"token":"a",}"#, #"{"token":"a","more":[1,2}"#,
        #"{"token":"a","rooms":{"text":"edits"}"#,
    ])
    func whatIsNoObjectOfJSONIsRefused(json: String) {
        #expect(throws: JSONError.self) { try payload(json) }
    }
}
