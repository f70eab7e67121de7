import Testing

@testable import Wire

@Suite("Bytes in JSON")
struct JSONBytesFilterTests {
    /// The bytes and the rest of an object that comes in pieces of one size.
    private func read(
        _ json: String, pieceBytes: Int, restBytesMax: Int = 1_000
    ) throws(JSONBytesFilter.Fault) -> (bytes: [UInt8], rest: String) {
        var filter = JSONBytesFilter(member: "data", restBytesMax: restBytesMax)
        var bytes: [UInt8] = []
        let text = Array(json.utf8)
        var start = 0
        while start < text.count {
            let end = min(start + pieceBytes, text.count)
            try filter.take(text.span.extracting(start..<end), into: &bytes)
            start = end
        }
        return (bytes, String(decoding: try filter.finish(), as: UTF8.self))
    }

    private static let hello = Array("Hello, world".utf8)

    @Test("come out whatever the pieces, and the rest is the object without them", arguments: [1, 2, 3, 5, 7, 1_000])
    func pieces(size: Int) throws {
        let cases: [(String, [UInt8], String)] = [
            (#"{"id":"x","data":"SGVsbG8sIHdvcmxk","n":1}"#, Self.hello, #"{"id":"x","data":"","n":1}"#),
            (#"{ "data" : "SGVsbG8sIHdvcmxk" }"#, Self.hello, #"{ "data" : "" }"#),
            (#"{"data":"SGVsbG8="}"#, Array("Hello".utf8), #"{"data":""}"#),
            (#"{"data":"SGVsbG8"}"#, Array("Hello".utf8), #"{"data":""}"#),
            (#"{"data":""}"#, [], #"{"data":""}"#),
            // Some encoders escape every slash.
            (#"{"data":"\/\/\/\/"}"#, [255, 255, 255], #"{"data":""}"#),
            // Only a member of the outer object counts, and only as a text.
            (
                #"{"a":{"data":"not !"},"b":["data"],"c":"data","data":"AA=="}"#, [0],
                #"{"a":{"data":"not !"},"b":["data"],"c":"data","data":""}"#
            ),
            (#"{"data":7,"x":"\"data\":\"y\""}"#, [], #"{"data":7,"x":"\"data\":\"y\""}"#),
            (#"{"\"data":"x","da\u0074a":"y"}"#, [], #"{"\"data":"x","da\u0074a":"y"}"#),
        ]
        for (json, bytes, rest) in cases {
            let result = try read(json, pieceBytes: size)
            #expect(result.bytes == bytes && result.rest == rest, "\(json)")
        }
    }

    @Test("are refused when they are not what they have to be", arguments: [1, 4, 1_000])
    func refused(size: Int) {
        let cases: [(String, JSONBytesFilter.Fault)] = [
            (#"{"data":"SGV!"}"#, .notBase64), (#"{"data":"SGVsb"}"#, .notBase64),
            (#"{"data":"SGU=SGU="}"#, .notBase64),
            (#"{"data":"\u0041AAA"}"#, .notBase64), (#"{"data":"AAAA","data":"AAAA"}"#, .repeated),
            (#"{"data":"AAAA"#, .incomplete), (#"{"data":"AAAA""#, .incomplete), (#"{"x":"#, .incomplete),
            (#"{"x":"\#(String(repeating: "y", count: 1_000))"}"#, .restTooLong(max: 1_000)),
        ]
        for (json, fault) in cases {
            #expect(self.fault(json, pieceBytes: size) == fault, "\(json)")
        }
    }

    private func fault(_ json: String, pieceBytes: Int) -> JSONBytesFilter.Fault? {
        do throws(JSONBytesFilter.Fault) {
            _ = try read(json, pieceBytes: pieceBytes)
            return nil
        } catch {
            return error
        }
    }
}
