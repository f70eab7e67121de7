import Wire

/// Reading of events that are small.
package enum EventArguments {
    private static let userKeys = JSONKeys("roomId", "userId")
    private static let deletedKeys = JSONKeys("roomId", "elementId", "version")
    private static let textKeys = JSONKeys("roomId", "name", "reason")
    private static let numberKeys = JSONKeys("reconnectIn", "expiresIn")
    private static let errorKeys = JSONKeys("code", "message", "details", "event")
    private static let detailKeys = JSONKeys("field", "retryAfter", "element", "isMade")
    private static let answerKeys = JSONKeys("ok", "error", "element", "version")

    /// `user:left`, `touch:ended`, and the first member of many others.
    package static func user(_ text: Span<UInt8>, _ range: Range<Int>) -> (roomID: String, userID: String)? {
        guard let fields = try? JSON.fields(userKeys, of: text, range: range),
            let roomID = fields[0].string(in: text), let userID = fields[1].string(in: text)
        else { return nil }
        return (roomID, userID)
    }

    package static func roomID(_ text: Span<UInt8>, _ range: Range<Int>) -> String? {
        (try? JSON.fields(userKeys, of: text, range: range))?[0].string(in: text)
    }

    package static func deleted(
        _ text: Span<UInt8>, _ range: Range<Int>
    ) -> (roomID: String, elementID: String, version: Int)? {
        guard let fields = try? JSON.fields(deletedKeys, of: text, range: range),
            let roomID = fields[0].string(in: text), let elementID = fields[1].string(in: text),
            let version = fields[2].int(in: text)
        else { return nil }
        return (roomID, elementID, version)
    }

    static func room(_ text: Span<UInt8>, _ range: Range<Int>) -> (roomID: String, text: String)? {
        guard let fields = try? JSON.fields(textKeys, of: text, range: range),
            let roomID = fields[0].string(in: text)
        else { return nil }
        return (roomID, fields[1].string(in: text) ?? fields[2].string(in: text) ?? "")
    }

    static func number(_ text: Span<UInt8>, _ range: Range<Int>) -> Int {
        guard let fields = try? JSON.fields(numberKeys, of: text, range: range) else { return 0 }
        return max(fields[0].int(in: text) ?? fields[1].int(in: text) ?? 0, 0)
    }

    /// The object of a refusal, and the event that it is about if it says so.
    static func refusal(_ text: Span<UInt8>, _ range: Range<Int>) -> (refusal: Refusal, event: String)? {
        guard let fields = try? JSON.fields(errorKeys, of: text, range: range),
            let code = fields[0].string(in: text)
        else { return nil }
        let details = fields[2].kind == .object ? try? JSON.fields(detailKeys, of: text, range: fields[2].range) : nil
        let refusal = Refusal(
            code: code, message: fields[1].string(in: text) ?? "", field: details?[0].string(in: text),
            retryAfterMilliseconds: details?[1].int(in: text),
            element: details.flatMap { $0[2].kind == .object ? Element(text, $0[2].range) : nil },
            isMade: details?[3].bool(in: text))
        return (refusal, fields[3].string(in: text) ?? "")
    }

    /// The arguments of the event `error`: a sentence and the object.
    static func error(_ text: Span<UInt8>, _ range: Range<Int>) -> (refusal: Refusal, event: String)? {
        guard let start = range.firstIndex(where: { text[$0] == UInt8(ascii: "\"") }) else { return nil }
        var end = start + 1
        while end < range.upperBound, text[end] != UInt8(ascii: "\"") {
            end += text[end] == UInt8(ascii: "\\") ? 2 : 1
        }
        while end < range.upperBound, text[end] != UInt8(ascii: "{") { end += 1 }
        guard end < range.upperBound else { return nil }
        return refusal(text, end..<range.upperBound)
    }

    /// What an ack says: done, with the JSON of the answer, or refused.
    static func answer(_ text: Span<UInt8>, _ range: Range<Int>) -> Result<Answer, ClientError> {
        guard let fields = try? JSON.fields(answerKeys, of: text, range: range) else {
            return .failure(.cannotConnect("an answer that is none"))
        }
        if fields[0].bool(in: text) == true {
            return .success(
                Answer(
                    json: text.extracting(range).withUnsafeBufferPointer { Array($0) },
                    element: fields[2].kind == .object ? Element(text, fields[2].range) : nil,
                    version: fields[3].int(in: text)))
        }
        guard fields[1].kind == .object, let refusal = refusal(text, fields[1].range)?.refusal else {
            return .failure(.cannotConnect("an answer that is none"))
        }
        return .failure(.refused(refusal))
    }
}

/// The server's answer to an event that it has done.
public struct Answer: Equatable, Sendable {
    /// The whole object, with `ok`.
    public let json: [UInt8]
    public let element: Element?
    public let version: Int?
}
