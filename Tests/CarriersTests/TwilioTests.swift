import Fetch
import Testing

@testable import Carriers

@Suite("Twilio")
struct TwilioTests {
    private func outcome(_ status: Int, _ body: String = "") -> CarriedOutcome {
        Twilio.outcome(FetchResponse(status: status, retryAfter: nil, body: Array(body.utf8)))
    }

    @Test("takes a text, cannot reach somebody, or fails")
    func outcomes() {
        #expect(outcome(201, #"{"sid":"SM1"}"#) == .sent)
        #expect(outcome(200, "nonsense") == .sent)
        for code in [21211, 21610, 21614] {
            #expect(outcome(400, #"{"code":\#(code),"message":"+14155550123"}"#) == .unreachable)
        }
        #expect(
            outcome(401, #"{"code":20003,"message":"no"}"#) == .failed("the provider of texts answers 401 (code 20003)")
        )
        #expect(outcome(500, "<html>") == .failed("the provider of texts answers 500"))
        #expect(outcome(429) == .failed("the provider of texts answers 429"))
        #expect(outcome(302) == .failed("the provider of texts answers 302"))
    }

    @Test("is reached over https, or on loopback")
    func address() {
        func made(_ url: String) -> Bool { Twilio(url: url, account: "AC1", key: [1], sender: "+1") != nil }
        #expect(made(Twilio.standardURL) && made("http://127.0.0.1:9"))
        #expect(!made("http://api.twilio.com") && !made("nonsense"))
    }
}

@Suite("Couriers", .timeLimit(.minutes(1)))
struct CourierTests {
    private final class Echo: Carrier {
        func carry(_ text: CarriedText) -> CarriedOutcome {
            switch text.text {
            case "sent": .sent
            case "unreachable": .unreachable
            default: .failed(text.text)
            }
        }
    }

    @Test("report failures, and nothing of a text")
    func failures() async {
        let (lines, told) = AsyncStream.makeStream(of: String.self)
        let courier = Courier(threadCount: 1, report: { told.yield($0) }, makeCarrier: { Echo() })
        var outcomes: [CarriedOutcome] = []
        for text in ["sent", "unreachable", "no"] { outcomes.append(await courier.send(CarriedText(to: "+1", text))) }
        #expect(outcomes == [.sent, .unreachable, .failed("no")])
        courier.stop()
        let late = await courier.send(CarriedText(to: "+1", "sent"))
        #expect(late == .failed("too many texts wait to be sent"))
        told.finish()
        var reported: [String] = []
        for await line in lines { reported.append(line) }
        #expect(reported == ["no", "too many texts wait to be sent"])
    }
}
