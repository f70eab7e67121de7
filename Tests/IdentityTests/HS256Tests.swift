import Testing
import Wire

@testable import Identity

@Suite("Tokens under a shared secret")
struct HS256Tests {
    let verifier = HS256Verifier(secret: secret, issuer: "https://issuer.example/", audience: "rooms")
    let lenient = HS256Verifier(secret: secret)

    static let good = #""sub":"alice","iss":"https://issuer.example/","aud":"rooms","exp":1700000100"#

    private func token(_ claims: String, header: String = #"{"alg":"HS256"}"#) -> String {
        secretToken("{\(claims)}", header: header, secret: secret)
    }

    @Test("name the user")
    func good() async throws {
        let claims = #"{\#(Self.good),"name":" Al\u0069ce\u0007 ","email":"a@example.org","x":[1]}"#
        let verified = try await verifier.verify(secretToken(claims, secret: secret)).get()
        #expect(verified.subject == "alice")
        #expect(verified.name == "Alice")
        #expect(verified.email == "a@example.org")
        #expect(verified.expiresAt == 1_700_000_100)
        #expect(verified.claims == Array(claims.utf8))
    }

    @Test(
        "show an address of mail unless their issuer has not verified it",
        arguments: [
            ("", true), (#","email_verified":true"#, true), (#","email_verified":"true""#, true),
            (#","email_verified":false"#, false), (#","email_verified":"false""#, false),
            (#","email_verified":null"#, false), (#","email_verified":1"#, false),
        ])
    func unverifiedEmail(claim: String, isShown: Bool) async throws {
        let verified = try await lenient.verify(token(#""sub":"a","email":"a@example.org""# + claim)).get()
        #expect(verified.email == (isShown ? "a@example.org" : nil))
    }

    @Test("may leave out all but the subject where nothing else is asked for")
    func least() async throws {
        let verified = try await lenient.verify(token(#""sub":"a""#)).get()
        #expect(
            verified
                == VerifiedToken(
                    subject: "a", name: nil, email: nil, expiresAt: nil, claims: Array(#"{"sub":"a"}"#.utf8)))
    }

    struct Case: CustomTestStringConvertible, Sendable {
        let claims: String
        let fault: TokenError.Kind?

        init(_ claims: String, _ fault: TokenError.Kind?) {
            self.claims = claims
            self.fault = fault
        }

        var testDescription: String { claims }
    }

    private static let who = #""sub":"a","iss":"https://issuer.example/","aud":"rooms""#
    private static let claimCases: [Case] = [
        Case(who, nil),
        // Times, with a skew of 60 seconds.
        Case(who + #","exp":1700000000"#, nil),
        Case(who + #","exp":1699999941"#, nil),
        Case(who + #","exp":1699999940"#, .expired),
        Case(who + #","exp":1699999940.5"#, nil),
        Case(who + #","exp":1.7e9"#, nil),
        Case(who + #","exp":0"#, .expired),
        Case(who + #","exp":-1e300"#, .expired),
        Case(who + #","exp":1e300"#, nil),
        Case(who + #","exp":"1700000100""#, .malformed),
        Case(who + #","exp":null"#, .malformed),
        Case(who + #","exp":true"#, .malformed),
        Case(who + #","nbf":1700000060"#, nil),
        Case(who + #","nbf":1700000061"#, .notYetValid),
        Case(who + #","nbf":1700000060.5"#, .notYetValid),
        Case(who + #","nbf":[]"#, .malformed),
        Case(who + #","iat":1700000060"#, nil),
        Case(who + #","iat":1700000061"#, .notYetValid),
        Case(who + #","iat":"now""#, .malformed),
        Case(who + #","iat":1e308,"nbf":-5"#, .notYetValid),
        // Parties.
        Case(#""sub":"a","aud":"rooms""#, .issuer),
        Case(#""sub":"a","aud":"rooms","iss":"https://issuer.example""#, .issuer),
        Case(#""sub":"a","aud":"rooms","iss":"HTTPS://issuer.example/""#, .issuer),
        Case(#""sub":"a","aud":"rooms","iss":["https://issuer.example/"]"#, .issuer),
        Case(#""sub":"a","iss":"https://issuer.example/""#, .audience),
        Case(#""sub":"a","iss":"https://issuer.example/","aud":"other""#, .audience),
        Case(#""sub":"a","iss":"https://issuer.example/","aud":"Rooms""#, .audience),
        Case(#""sub":"a","iss":"https://issuer.example/","aud":"""#, .audience),
        Case(#""sub":"a","iss":"https://issuer.example/","aud":[]"#, .audience),
        Case(#""sub":"a","iss":"https://issuer.example/","aud":["x","rooms"]"#, nil),
        Case(#""sub":"a","iss":"https://issuer.example/","aud":["x","y"]"#, .audience),
        Case(#""sub":"a","iss":"https://issuer.example/","aud":["rooms",5]"#, .audience),
        Case(#""sub":"a","iss":"https://issuer.example/","aud":{"rooms":1}"#, .audience),
        Case(#""iss":"https://issuer.example/","aud":"rooms""#, .subject),
        Case(#""sub":"","iss":"https://issuer.example/","aud":"rooms""#, .subject),
        Case(#""sub":5,"iss":"https://issuer.example/","aud":"rooms""#, .subject),
        Case(#""sub":"a\nb","iss":"https://issuer.example/","aud":"rooms""#, .subject),
        Case(#""sub":"\#(String(repeating: "x", count: 128))","iss":"https://issuer.example/","aud":"rooms""#, nil),
        Case(
            #""sub":"\#(String(repeating: "x", count: 129))","iss":"https://issuer.example/","aud":"rooms""#, .subject),
        // One key twice, however it is written.
        Case(who + #","sub":"b""#, .malformed),
        Case(who + #","\u0073ub":"b""#, .malformed),
        Case(who + #","x":1,"x":1"#, .malformed),
        Case(who + ",", .malformed),
    ]

    @Test("are held against every claim", arguments: claimCases)
    func claimsCount(_ test: Case) async {
        #expect(await verifier.fault(token(test.claims)) == test.fault)
    }

    @Test(
        "are refused whatever else the header says",
        arguments: [
            (#"{"alg":"none"}"#, TokenError.Kind.algorithm), (#"{"alg":"None"}"#, .algorithm),
            (#"{"alg":"hs256"}"#, .algorithm), (#"{"alg":"HS384"}"#, .algorithm), (#"{"alg":"RS256"}"#, .algorithm),
            (#"{"alg":["HS256"]}"#, .algorithm), (#"{"alg":null}"#, .algorithm), (#"{}"#, .algorithm),
            (#"{"alg":"HS256","alg":"HS256"}"#, .malformed), (#"{"alg":"none","alg":"HS256"}"#, .malformed),
            (#"{"alg":"HS256","crit":["exp"]}"#, .malformed), (#"{"alg":"HS256","crit":[]}"#, .malformed),
            (#"{"alg":"HS256","b64":false,"crit":["b64"]}"#, .malformed), (#"["HS256"]"#, .malformed),
            (#"{"alg":"HS256","kid":5}"#, .malformed), ("", .malformed), ("{", .malformed),
            (#"{"alg":"HS256"} x"#, .malformed),
        ])
    func headers(header: String, fault: TokenError.Kind) async {
        #expect(await verifier.fault(token(Self.good, header: header)) == fault)
    }

    @Test("do with any typ and any key id")
    func ignored() async {
        let header = #"{"typ":5,"alg":"HS256","kid":"x","cty":"JWT","jku":"https://evil.example/"}"#
        #expect(await verifier.fault(token(Self.good, header: header)) == nil)
    }

    @Test("are refused with another secret, and with a signature that is cut or longer")
    func signatures() async throws {
        let good = token(Self.good)
        let other = HS256Verifier(secret: Array(secret.dropLast()))
        #expect(await other.fault(good) == .signature)
        let parts = good.split(separator: ".").map(String.init)
        let signature = try #require(decoded(parts[2]))
        for changed in [[], Array(signature.dropLast()), Array(signature.prefix(1)), signature + [0]] {
            #expect(await verifier.fault("\(parts[0]).\(parts[1]).\(base64URL(changed))") == .signature)
        }
    }

    @Test("are refused after any change of a single bit")
    func bitFlips() async {
        let good = Array(token(Self.good).utf8)
        for index in good.indices {
            for bit in 0..<7 {
                var changed = good
                changed[index] ^= 1 << bit
                #expect(await verifier.fault(String(decoding: changed, as: UTF8.self)) != nil)
            }
        }
    }

    @Test("are refused with too few and too many parts, blanks, and what is no text of a token")
    func shapes() async {
        let good = token(Self.good)
        let wrong = [
            ".", "..", "...", "a", "a.b", "a.b.c.d", good + ".", "." + good, good + " ", " " + good, good + "=",
            good.replacing(".", with: ".."), "Bearer \(good)", "é.é.é", "\u{0}",
            String(repeating: ".", count: 8_192), String(good.dropLast(44)),
        ]
        for text in wrong { #expect(await verifier.fault(text) == .malformed, "\(text)") }
    }

    @Test("are refused at more than 8 KiB before anything is looked at, and taken at exactly that")
    func length() async {
        func padded(_ count: Int) -> String {
            token(Self.good + #","x":"\#(String(repeating: "x", count: count))""#)
        }
        let most = (5_900...6_200).map(padded).filter { $0.utf8.count <= 8_192 }
        #expect(await verifier.fault(most.last) == nil)
        #expect(await verifier.fault(padded(6_200)) == .malformed)
        #expect(await verifier.fault(String(repeating: "x", count: 10_000_000)) == .malformed)
    }

    @Test("are missed when there are none")
    func missing() async {
        #expect(await verifier.fault(nil) == .missing)
        #expect(await verifier.fault("") == .missing)
    }

    @Test("of rooms token are good, for as long as they say")
    func testTokens() async throws {
        var made = TestToken(subject: "al\"ice", issuedAt: now, expiresAt: now + 30)
        made.name = "Älice 🙂"
        made.audience = "rooms"
        made.issuer = "https://issuer.example/"
        let text = try #require(made.signed(secret: secret))
        let verified = try await verifier.verify(text).get()
        #expect(verified.subject == "al\"ice")
        #expect(verified.name == "Älice 🙂")
        #expect(verified.expiresAt == now + 30)
        #expect(await verifier.fault(text, now: now + 89) == nil)
        #expect(await verifier.fault(text, now: now + 90) == .expired)
        #expect(await verifier.fault(text, now: .max) == .expired)
    }

    @Test("have a sentence and a code for each fault, with nothing of the token in it")
    func sentences() {
        for kind in TokenError.Kind.allCases {
            let error = TokenError(kind)
            #expect(error.message.hasSuffix("."))
            #expect(error.code.utf8.allSatisfy { $0 == UInt8(ascii: "_") || $0 &- 0x41 < 26 })
        }
        #expect(TokenError(.expired).code == "TOKEN_EXPIRED")
        #expect(TokenError(.missing).code == "TOKEN_MISSING")
        #expect(TokenError(.keysUnavailable).isTemporary)
    }
}
