import Testing
import Wire

@Suite struct PerMessageDeflateTests {
    private func response(to offers: String, _ options: PerMessageDeflate.Options = .init()) -> String? {
        PerMessageDeflate.negotiate(offers: offers, options: options)?.response
    }

    private static let takeover = PerMessageDeflate.Options(serverContextTakeover: true, clientContextTakeover: true)
    private static let both = "permessage-deflate; server_no_context_takeover; client_no_context_takeover"

    @Test func byDefaultNoContextIsKeptInEitherDirection() throws {
        for offer in ["permessage-deflate", "permessage-deflate; client_max_window_bits", Self.both] {
            let agreed = try #require(PerMessageDeflate.negotiate(offers: offer))
            #expect(agreed.response == Self.both)
            #expect(agreed.parameters.serverNoContextTakeover && agreed.parameters.clientNoContextTakeover)
            #expect(agreed.parameters.serverMaxWindowBits == 15 && agreed.parameters.clientMaxWindowBits == 15)
        }
    }

    @Test func contextIsKeptWhereBothSidesWantIt() throws {
        #expect(response(to: "permessage-deflate", Self.takeover) == "permessage-deflate")
        #expect(
            response(to: "permessage-deflate; server_no_context_takeover", Self.takeover)
                == "permessage-deflate; server_no_context_takeover")
        let agreed = try #require(
            PerMessageDeflate.negotiate(
                offers: "permessage-deflate; client_no_context_takeover", options: Self.takeover))
        #expect(agreed.response == "permessage-deflate; client_no_context_takeover")
        #expect(agreed.parameters.clientNoContextTakeover && !agreed.parameters.serverNoContextTakeover)
    }

    @Test func theExamplesOfTheStandardAreAnswered() {
        #expect(
            response(to: "permessage-deflate; client_max_window_bits; server_max_window_bits=10", Self.takeover)
                == "permessage-deflate; server_max_window_bits=10")
        // A declined first offer leaves the second one.
        #expect(
            response(
                to: "permessage-deflate; client_max_window_bits; server_max_window_bits=8, "
                    + "permessage-deflate; client_max_window_bits", Self.takeover) == "permessage-deflate")
        #expect(
            response(to: "permessage-foo, permessage-bar; x=1, permessage-deflate", Self.takeover)
                == "permessage-deflate")
        #expect(
            response(to: "permessage-deflate; server_max_window_bits=\"10\"", Self.takeover)
                == "permessage-deflate; server_max_window_bits=10")
    }

    @Test func windowBitsAreTheSmallerOfOfferAndOption() {
        let small = PerMessageDeflate.Options(
            serverContextTakeover: true, clientContextTakeover: true, serverMaxWindowBits: 11, clientMaxWindowBits: 10)
        #expect(response(to: "permessage-deflate", small) == "permessage-deflate; server_max_window_bits=11")
        #expect(
            response(to: "permessage-deflate; server_max_window_bits=9; client_max_window_bits", small)
                == "permessage-deflate; server_max_window_bits=9; client_max_window_bits=10")
        #expect(
            response(to: "permessage-deflate; client_max_window_bits=9", small)
                == "permessage-deflate; server_max_window_bits=11; client_max_window_bits=9")
        for bits in 9...15 {
            #expect(
                response(to: "permessage-deflate; server_max_window_bits=\(bits)", Self.takeover)
                    == "permessage-deflate; server_max_window_bits=\(bits)")
        }
    }

    @Test(arguments: [
        "permessage-deflate; unknown", "permessage-deflate; unknown=1",
        "permessage-deflate; server_no_context_takeover; server_no_context_takeover",
        "permessage-deflate; client_no_context_takeover; client_no_context_takeover",
        "permessage-deflate; server_max_window_bits=10; server_max_window_bits=10",
        "permessage-deflate; client_max_window_bits; client_max_window_bits=10",
        "permessage-deflate; server_no_context_takeover=1", "permessage-deflate; client_no_context_takeover=true",
        "permessage-deflate; server_max_window_bits", "permessage-deflate; server_max_window_bits=7",
        "permessage-deflate; server_max_window_bits=16", "permessage-deflate; server_max_window_bits=010",
        "permessage-deflate; server_max_window_bits=+9", "permessage-deflate; server_max_window_bits=",
        "permessage-deflate; server_max_window_bits=8",
        "permessage-deflate; client_max_window_bits=99999999999999999999",
        "permessage-deflate; client_max_window_bits=\"\"", "permessage-deflate; client_max_window_bits=\"10",
        "permessage-deflate; client_max_window_bits=\"1 0\"", "permessage-deflate;", "permessage-deflate; =1",
        "permessage-deflate client_max_window_bits", "permessage-deflate; client_max_window_bits=10=11",
        "permessage_deflate", "x-webkit-deflate-frame", "", " , ,", "\"permessage-deflate\"", ";", "=",
    ])
    func anOfferWithAnythingWrongIsDeclinedAndTheNextOneCounts(offer: String) {
        #expect(response(to: offer) == nil)
        // An unclosed quote swallows what follows; that is no next offer.
        if offer.filter({ $0 == "\"" }).count.isMultiple(of: 2) {
            #expect(response(to: offer + ", permessage-deflate") == Self.both)
        }
    }

    @Test func aCommaInQuotesDoesNotBeginAnOffer() {
        #expect(response(to: "foo; a=\"x, permessage-deflate\"") == nil)
        #expect(response(to: "foo; a=\"x\\\", permessage-deflate\"") == nil)
    }

    @Test func blanksAndEmptyElementsMeanNothing() {
        #expect(response(to: " ,, \tpermessage-deflate\t; client_max_window_bits = 15 ,") == Self.both)
    }

    @Test func whatAClientOffersTheServerAcceptsAndBothAgree() throws {
        let wishes: [PerMessageDeflate.Options] = [
            .init(), Self.takeover,
            .init(serverContextTakeover: true, serverMaxWindowBits: 9, clientMaxWindowBits: 12),
            .init(clientContextTakeover: true, clientMaxWindowBits: 9),
        ]
        for client in wishes {
            for server in wishes {
                let offer = PerMessageDeflate.offer(options: client)
                let agreed = try #require(PerMessageDeflate.negotiate(offers: offer, options: server))
                let accepted = try #require(PerMessageDeflate.accept(response: agreed.response, options: client))
                #expect(accepted == agreed.parameters, "\(offer) -> \(agreed.response)")
            }
        }
    }

    @Test(arguments: [
        "", "permessage-deflate; foo", "permessage-deflate; client_max_window_bits", "foo",
        "permessage-deflate, permessage-deflate", "permessage-deflate; server_max_window_bits=15",
        "permessage-deflate; server_no_context_takeover; client_max_window_bits=8",
    ])
    func aClientRefusesAnAnswerThatItDidNotAskFor(answer: String) {
        let options = PerMessageDeflate.Options(serverMaxWindowBits: 12)
        #expect(PerMessageDeflate.accept(response: answer, options: options) == nil)
    }
}
