import CSimdjson
import Wire

// Compares the scanner of Wire with simdjson and Foundation. Prints nanoseconds per text, medians of several rounds.

let trusting = JSONLimits(encoding: .validUTF8)

func measureTouch(_ title: String, _ text: [UInt8]) {
    let names: [StaticString] = ["roomId", "x", "y", "elementId"]
    let keys = JSONKeys("roomId", "x", "y", "elementId")
    Measurement(
        title: "\(title), \(text.count) bytes",
        contenders: [
            .wireFields(text, keys), .wireFields(text, keys, limits: trusting, note: ", UTF-8 known"),
            .wireFieldsRead(text, keys),
        ]
            + Measurement.Contender.simdjson("on demand", text, names, simdjson_ondemand_object)
            + Measurement.Contender.simdjson("tree", text, names, simdjson_dom_object)
            + [.serialization(text), .decoder(text, Touch.self)]
    ).run()
}

func measureTouches(_ title: String, _ texts: [[UInt8]]) {
    let names: [StaticString] = ["roomId", "x", "y", "elementId"]
    let bytes = texts.reduce(0) { $0 + $1.count } / texts.count
    Measurement(
        title: "\(title), \(bytes) bytes on average",
        contenders: [
            .wireFields(texts, JSONKeys("roomId", "x", "y", "elementId")),
            .simdjson("on demand", texts, names, SIMDJSON_PADDED, simdjson_ondemand_object),
            .simdjson("on demand", texts, names, SIMDJSON_COPY, simdjson_ondemand_object),
            .simdjson("tree", texts, names, SIMDJSON_PADDED, simdjson_dom_object),
            .simdjson("tree", texts, names, SIMDJSON_COPY, simdjson_dom_object),
        ]
    ).run()
}

func measureCreate(_ title: String, _ text: [UInt8]) {
    let names: [StaticString] = ["roomId", "type", "positionX", "positionY", "width", "height", "content"]
    let keys = JSONKeys("roomId", "type", "positionX", "positionY", "width", "height", "content")
    Measurement(
        title: "\(title), \(text.count) bytes",
        contenders: [
            .wireFields(text, keys), .wireFields(text, keys, limits: trusting, note: ", UTF-8 known"),
            .wireFieldsRead(text, keys),
        ]
            + Measurement.Contender.simdjson("on demand", text, names, simdjson_ondemand_object)
            + Measurement.Contender.simdjson("tree", text, names, simdjson_dom_object)
            + [.serialization(text), .decoder(text, NewElement.self)]
    ).run()
}

func measureArray(_ title: String, _ text: [UInt8]) {
    let names: [StaticString] = ["id", "positionX", "positionY", "content"]
    let keys = JSONKeys("id", "positionX", "positionY", "content")
    Measurement(
        title: "\(title), \(text.count) bytes",
        contenders: [
            .wireItems(text, keys), .wireValidate(text), .wireValidate(text, limits: trusting, note: ", UTF-8 known"),
        ]
            + Measurement.Contender.simdjson("on demand", text, names, simdjson_ondemand_array)
            + Measurement.Contender.simdjson("tree", text, names, simdjson_dom_array)
            + Measurement.Contender.simdjson("tree, only parsed", text, names) {
                simdjson_dom_validate($0, $1, $2, $3) ? 1 : -1
            }
            + [.serialization(text), .decoder(text, [StoredElement].self)]
    ).run()
}

print("simdjson on demand: \(String(cString: simdjson_ondemand_implementation()))", terminator: ", ")
print("tree: \(String(cString: simdjson_dom_implementation()))")
measureTouch("A touch", Samples.touch)
measureTouch("A touch with long ids and numbers", Samples.longTouch)
measureTouches("\(Samples.touches.count) different touches in turn", Samples.touches)
measureCreate("An element with a note of 300 characters", Samples.createShort)
measureCreate("An element with a note of 1,000 characters", Samples.create)
measureCreate("The same in Cyrillic", Samples.createInCyrillic)
measureCreate("The same with escapes", Samples.createWithEscapes)
measureArray("An array of elements", Samples.array)

// What is skipped has to be checked too before a text is relayed: which of these do the three refuse?
print("\nRefused")
for text in [
    #"{"x":1,"other":tru}"#, #"{"x":1,"other":01}"#, #"{"x":1,"other":"\q"}"#, #"{"x":1,"other":[1 2]}"#,
    #"{"x":1,"other":"\ud83d"}"#, #"{"x":1,"other":1e999}"#, #"{"x":1} 2"#,
] {
    let bytes = Array(text.utf8)
    let padded = PaddedText(bytes)
    let parser = Parser(["x"])
    let verdicts = [
        ("Wire", (try? JSON.fields(JSONKeys("x"), of: bytes.span)) == nil),
        ("on demand", simdjson_ondemand_object(parser.pointer, padded.pointer, bytes.count, SIMDJSON_PADDED) < 0),
        ("tree", !simdjson_dom_validate(parser.pointer, padded.pointer, bytes.count, SIMDJSON_PADDED)),
    ]
    print("  \(text) by: \(verdicts.filter(\.1).map(\.0).joined(separator: ", "))")
}
