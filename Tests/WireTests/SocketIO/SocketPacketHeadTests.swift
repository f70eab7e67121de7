import Testing
import Wire

/// A packet's parts as values, so that packets of different texts compare.
struct SocketParts: Equatable, CustomStringConvertible {
    var type = SocketPacketType.event
    var attachments = 0
    var namespace: String?
    var query: String?
    var ackID: UInt64?
    var payload = ""
    var eventName = ""
    var arguments = ""

    var description: String {
        "\(type) \(attachments) \(namespace ?? "/")?\(query ?? "") \(ackID.map(String.init) ?? "-") "
            + "\(payload) \(eventName) \(arguments)"
    }
}

func socketParts(
    _ text: String, version: SocketVersion = .v5, limits: SocketLimits = SocketLimits()
) throws -> SocketParts {
    let bytes = Array(text.utf8)
    let head = try SocketPacketHead.decode(bytes.span, version: version, limits: limits)
    func string(_ range: Range<Int>) -> String { String(decoding: bytes[range], as: UTF8.self) }
    return SocketParts(
        type: head.type, attachments: head.attachments, namespace: head.namespace.map(string),
        query: head.query.map(string), ackID: head.ackID, payload: string(head.payload),
        eventName: String(decoding: head.unescapedEventName(bytes.span) ?? [], as: UTF8.self),
        arguments: string(head.arguments))
}

struct SocketPacketHeadExamples {
    static let examples: [(String, SocketParts)] = [
        ("0", SocketParts(type: .connect)),
        (
            #"0/admin,{"sid":"oSO0OpakMV_3jnilAAAA"}"#,
            SocketParts(type: .connect, namespace: "/admin", payload: #"{"sid":"oSO0OpakMV_3jnilAAAA"}"#)
        ),
        (
            #"4{"message":"Not authorized"}"#,
            SocketParts(type: .connectError, payload: #"{"message":"Not authorized"}"#)
        ),
        (#"2["foo"]"#, SocketParts(payload: #"["foo"]"#, eventName: "foo")),
        (#"2/admin,["bar"]"#, SocketParts(namespace: "/admin", payload: #"["bar"]"#, eventName: "bar")),
        (
            #"51-["baz",{"_placeholder":true,"num":0}]"#,
            SocketParts(
                type: .binaryEvent, attachments: 1, payload: #"["baz",{"_placeholder":true,"num":0}]"#,
                eventName: "baz", arguments: #"{"_placeholder":true,"num":0}"#)
        ),
        (
            #"52-/admin,["baz",{"_placeholder":true,"num":0},{"_placeholder":true,"num":1}]"#,
            SocketParts(
                type: .binaryEvent, attachments: 2, namespace: "/admin",
                payload: #"["baz",{"_placeholder":true,"num":0},{"_placeholder":true,"num":1}]"#, eventName: "baz",
                arguments: #"{"_placeholder":true,"num":0},{"_placeholder":true,"num":1}"#)
        ),
        (#"212["foo"]"#, SocketParts(ackID: 12, payload: #"["foo"]"#, eventName: "foo")),
        (
            #"3/admin,13["bar"]"#,
            SocketParts(type: .ack, namespace: "/admin", ackID: 13, payload: #"["bar"]"#, arguments: #""bar""#)
        ),
        (
            #"61-15["bar",{"_placeholder":true,"num":0}]"#,
            SocketParts(
                type: .binaryAck, attachments: 1, ackID: 15, payload: #"["bar",{"_placeholder":true,"num":0}]"#,
                arguments: #""bar",{"_placeholder":true,"num":0}"#)
        ),
        ("1", SocketParts(type: .disconnect)),
        ("1/admin,", SocketParts(type: .disconnect, namespace: "/admin")),
        ("0/admin,", SocketParts(type: .connect, namespace: "/admin")),
        (#"2["hey","Jude"]"#, SocketParts(payload: #"["hey","Jude"]"#, eventName: "hey", arguments: #""Jude""#)),
        (
            #"61-/admin,1[{"_placeholder":true,"num":0}]"#,
            SocketParts(
                type: .binaryAck, attachments: 1, namespace: "/admin", ackID: 1,
                payload: #"[{"_placeholder":true,"num":0}]"#, arguments: #"{"_placeholder":true,"num":0}"#)
        ),
        (
            #"2456["message-with-ack",1,"2",{"3":[false]}]"#,
            SocketParts(
                ackID: 456, payload: #"["message-with-ack",1,"2",{"3":[false]}]"#, eventName: "message-with-ack",
                arguments: #"1,"2",{"3":[false]}"#)
        ),
        ("312[]", SocketParts(type: .ack, ackID: 12, payload: "[]")),
    ]

    @Test(arguments: examples)
    func `the examples of the protocol are taken apart`(text: String, parts: SocketParts) throws {
        #expect(try socketParts(text) == parts)
    }

    @Test func `a namespace needs no comma where nothing follows it`() throws {
        #expect(try socketParts("0/random") == SocketParts(type: .connect, namespace: "/random"))
        #expect(try socketParts("1/custom") == SocketParts(type: .disconnect, namespace: "/custom"))
    }

    @Test func `the default namespace may be named`() throws {
        #expect(try socketParts("0/,") == SocketParts(type: .connect))
        #expect(try socketParts(#"2/,["a"]"#) == SocketParts(payload: #"["a"]"#, eventName: "a"))
    }

    @Test func `version 4 has a query behind the namespace`() throws {
        #expect(
            try socketParts("0/admin?token=a/b?c", version: .v4)
                == SocketParts(type: .connect, namespace: "/admin", query: "token=a/b?c"))
        #expect(try socketParts("0/?token=1,", version: .v4) == SocketParts(type: .connect, query: "token=1"))
        #expect(try socketParts("0/n?", version: .v4) == SocketParts(type: .connect, namespace: "/n"))
    }

    @Test(arguments: [#"4"Not authorized""#, #"4{"code":1}"#, "4null", "4[1]", "4"])
    func `an ERROR of version 4 carries any JSON`(text: String) throws {
        #expect(try socketParts(text, version: .v4).payload == String(text.dropFirst()))
    }
}

struct SocketPacketHeadFaults {
    typealias Failure = SocketPacketError

    @Test(arguments: [
        ("", Failure.empty), ("abc", .unknownType), ("7", .unknownType), ("9[]", .unknownType), ("é", .unknownType),
        ("2", .badPayload), ("2{}", .badPayload), ("2[]", .badPayload), ("2[", .badPayload), ("2]", .badPayload),
        ("2\"a\"", .badPayload), ("2[null]", .badPayload), ("2[{}]", .badPayload), ("2[true,\"a\"]", .badPayload),
        ("2[\"a]", .badPayload), ("2[\"]", .badPayload), ("2[\"a\\\"]", .badPayload), ("2[\"a\",]", .badPayload),
        ("2[\"a\", ]", .badPayload), ("2[\"a\"\"b\"]", .badPayload), ("2[\"a\"]]", .badPayload),
        ("2[\"a\nb\"]", .badPayload), ("2[\"a\"] ", .badPayload), ("2 [\"a\"]", .badPayload),
        ("2abc[\"a\"]", .badPayload), ("2-1[\"a\"]", .badPayload), ("2/admin", .badPayload),
        ("2/admin[\"a\"]", .badPayload),
        ("2[\"\\ud800\"]", .badPayload), ("2[\"\\x\"]", .badPayload),
        ("212", .badPayload), ("201[\"a\"]", .badAckID), ("200[\"a\"]", .badAckID),
        ("29007199254740992[\"a\"]", .badAckID), ("2999999999999999999999999[\"a\"]", .badAckID),
        ("3[]", .badAckID), ("3/a,[]", .badAckID), ("31{}", .badPayload), ("31", .badPayload), ("31[", .badPayload),
        ("5[\"a\"]", .badAttachments), ("5-[\"a\"]", .badAttachments), ("51[\"a\"]", .badAttachments),
        ("5", .badAttachments), ("501-[\"a\"]", .badAttachments), ("5x-[\"a\"]", .badAttachments),
        ("511-[\"a\"]", .tooManyAttachments), ("599999999999999999999999-[\"a\"]", .tooManyAttachments),
        ("5-1-[\"a\"]", .badAttachments), ("51.5-[\"a\"]", .badAttachments), ("61-[]", .badAckID),
        ("0[]", .badPayload), ("0\"a\"", .badPayload), ("0{", .badPayload), ("0}", .badPayload), ("01", .badPayload),
        ("0/a,[]", .badPayload), ("1{}", .badPayload), ("1/a,{}", .badPayload), ("4[]", .badPayload),
        ("41", .badPayload),
        ("0/a\u{1E}1", .badNamespace), ("0/a\u{7F}", .badNamespace), ("0/a?b\nc", .badNamespace),
    ])
    func `what is no packet of version 5 is refused by name`(text: String, failure: Failure) {
        #expect(throws: failure) { try socketParts(text) }
    }

    @Test func `CONNECT carries no data in version 4`() {
        #expect(throws: Failure.badPayload) { try socketParts("0{}", version: .v4) }
        #expect(throws: Failure.badPayload) { try socketParts("0/a,{}", version: .v4) }
        #expect(throws: Failure.badPayload) { try socketParts("41", version: .v4) }
    }

    @Test(arguments: ["connect", "connect_error", "disconnect", "disconnecting", "newListener", "removeListener"])
    func `reserved event names are refused, escaped ones too`(name: String) throws {
        let escaped = name.unicodeScalars.map { "\\u00\(String($0.value, radix: 16))" }.joined()
        for text in ["2[\"\(name)\"]", "2/n,1[\"\(name)\",1]", "50-[\"\(name)\"]", "2[\"\(escaped)\"]"] {
            #expect(throws: Failure.reservedEventName) { try socketParts(text) }
        }
        #expect(try socketParts("2[\"\(name)s\"]").eventName == name + "s")
        #expect(try socketParts("2[\"\(name.uppercased())\"]").eventName == name.uppercased())
    }

    @Test func `bounds hold exactly`() throws {
        var limits = SocketLimits()
        limits.namespaceBytesMax = 4
        limits.queryBytesMax = 3
        limits.attachmentsMax = 2
        #expect(try socketParts("0/abc?123", limits: limits).namespace == "/abc")
        #expect(throws: Failure.namespaceTooLong) { try socketParts("0/abcd", limits: limits) }
        #expect(throws: Failure.namespaceTooLong) { try socketParts("0/abc?1234", limits: limits) }
        #expect(try socketParts(#"52-["a"]"#, limits: limits).attachments == 2)
        #expect(throws: Failure.tooManyAttachments) { try socketParts(#"53-["a"]"#, limits: limits) }
        #expect(try socketParts(#"510-["a"]"#).attachments == 10)
        #expect(try socketParts(#"29007199254740991["a"]"#).ackID == SocketLimits.ackIDMax)
    }
}

struct SocketEventNameTests {
    @Test(arguments: [
        (#"2["a\"b",1]"#, "a\"b", "1"), (#"2["\u20ac\n\/"]"#, "€\n/", ""), (#"2["\ud83c\udf89",[]]"#, "🎉", "[]"),
        (#"2["",0]"#, "", "0"), ("2[ \"a\" , 1 ]", "a", " 1 "), ("2[\t\"a\"\r\n]", "a", ""), ("2[1]", "1", ""),
        ("2[-1.5e+3,\"x\"]", "-1.5e+3", "\"x\""), (#"2["a","]"]"#, "a", #""]""#), (#"2["€"]"#, "€", ""),
        (#"2["\\",","]"#, "\\", #"",""#),
    ])
    func `names are found, unescaped, and told from the arguments`(text: String, name: String, arguments: String) throws
    {
        let parts = try socketParts(text)
        #expect(parts.eventName == name)
        #expect(parts.arguments == arguments)
    }

    @Test func `the form of a name tells plain, escaped and number apart`() throws {
        for (text, form) in [
            (#"2["a"]"#, SocketPacketHead.EventNameForm.plain), (#"2["\u0061"]"#, .escaped), ("2[7]", .number),
        ] {
            let head = try SocketPacketHead.decode(Array(text.utf8).span)
            #expect(head.eventNameForm == form)
        }
    }
}
