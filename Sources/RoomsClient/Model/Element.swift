import Wire

/// Something on a room's canvas.
public struct Element: Equatable, Sendable {
    public enum Kind: String, Sendable, CaseIterable {
        case note, photo, audio
    }

    public let id: String
    public let roomID: String
    public let kind: Kind
    public let createdBy: String
    /// As in `2025-10-10T10:00:00Z`.
    public let createdAt: String
    /// Goes up by one with every change.
    public private(set) var version: Int
    public private(set) var updatedAt: String?
    public private(set) var updatedBy: String?
    /// The id of the edit that made this version, if its author gave it one.
    public private(set) var clientID: String?
    public let x: Double
    public let y: Double
    public let width: Double
    public let height: Double
    public private(set) var content: String?
    public let imageURL: String?
    public let audioURL: String?
    public let duration: Double?
    /// An element with a greater one lies above; nil counts as 0.
    public let z: Double?
    /// As in `#F2C14E`.
    public let color: String?

    private static let keys = JSONKeys(
        "id", "roomId", "type", "createdBy", "positionX", "positionY", "width", "height", "content", "imageUrl",
        "audioUrl", "duration", "createdAt", "version", "updatedAt", "updatedBy")
    /// A set of keys has no room for all of them.
    private static let moreKeys = JSONKeys("z", "color", "clientId")

    package init?(_ text: Span<UInt8>, _ range: Range<Int>) {
        guard let fields = try? JSON.fields(Self.keys, of: text, range: range) else { return nil }
        guard let id = fields[0].string(in: text), let roomID = fields[1].string(in: text),
            let kind = fields[2].string(in: text).flatMap(Kind.init), let version = fields[13].int(in: text),
            let x = fields[4].double(in: text), let y = fields[5].double(in: text),
            let width = fields[6].double(in: text), let height = fields[7].double(in: text)
        else { return nil }
        self.id = id
        self.roomID = roomID
        self.kind = kind
        self.version = version
        self.x = x
        self.y = y
        self.width = width
        self.height = height
        createdBy = fields[3].string(in: text) ?? ""
        content = fields[8].string(in: text)
        imageURL = fields[9].string(in: text)
        audioURL = fields[10].string(in: text)
        duration = fields[11].double(in: text)
        createdAt = fields[12].string(in: text) ?? ""
        updatedAt = fields[14].string(in: text)
        updatedBy = fields[15].string(in: text)
        let more = try? JSON.fields(Self.moreKeys, of: text, range: range)
        z = more?[0].double(in: text)
        color = more?[1].string(in: text)
        clientID = more?[2].string(in: text)
    }

    /// Whether one version can be the next after another. A server that was started anew leaves out versions, always as many.
    package static func mayFollow(_ version: Int, _ before: Int) -> Bool {
        version > before && (version - before - 1).isMultiple(of: 1 << 14)
    }

    /// Takes in a change of its text, if that is the next one.
    mutating func apply(_ change: TextChange) {
        guard change.version == version + 1, let text = change.changes.apply(to: [UInt16](content ?? "")) else {
            return
        }
        content = String(units: text)
        (version, updatedAt, updatedBy) = (change.version, change.updatedAt, change.userID)
        clientID = change.clientID
    }
}

/// The content of a new element.
public struct NewElement: Equatable, Sendable {
    public var kind: Element.Kind
    public var x: Double
    public var y: Double
    public var width: Double
    public var height: Double
    public var content: String?
    public var imageURL: String?
    public var audioURL: String?
    public var duration: Double?
    public var z: Double?
    public var color: String?

    public init(
        _ kind: Element.Kind, x: Double, y: Double, width: Double, height: Double, content: String? = nil,
        imageURL: String? = nil, audioURL: String? = nil, duration: Double? = nil, z: Double? = nil,
        color: String? = nil
    ) {
        self.kind = kind
        self.x = x
        self.y = y
        self.width = width
        self.height = height
        self.content = content
        self.imageURL = imageURL
        self.audioURL = audioURL
        self.duration = duration
        self.z = z
        self.color = color
    }

    /// The argument of `element:create`; nil where a number is not finite.
    func argument(roomID: String, clientID: String) -> [UInt8]? {
        guard [x, y, width, height, duration ?? 0, z ?? 0].allSatisfy(\.isFinite) else { return nil }
        var bytes: [UInt8] = []
        JSONWriter.write(into: &bytes) { json in
            json.beginObject()
            json.member("roomId", roomID)
            json.member("type", kind.rawValue)
            json.member("positionX", x)
            json.member("positionY", y)
            json.member("width", width)
            json.member("height", height)
            if let content { json.member("content", content) }
            if let imageURL { json.member("imageUrl", imageURL) }
            if let audioURL { json.member("audioUrl", audioURL) }
            if let duration { json.member("duration", duration) }
            if let z { json.member("z", z) }
            if let color { json.member("color", color) }
            json.member("clientId", clientID)
            json.endObject()
        }
        return bytes
    }
}

/// A change of an element. Values that are nil stay.
public struct ElementChange: Equatable, Sendable {
    public var x: Double?
    public var y: Double?
    public var width: Double?
    public var height: Double?
    public var content: String?
    public var imageURL: String?
    public var audioURL: String?
    public var duration: Double?
    public var z: Double?
    public var color: String?

    public init(
        x: Double? = nil, y: Double? = nil, width: Double? = nil, height: Double? = nil, content: String? = nil,
        imageURL: String? = nil, audioURL: String? = nil, duration: Double? = nil, z: Double? = nil,
        color: String? = nil
    ) {
        self.x = x
        self.y = y
        self.width = width
        self.height = height
        self.content = content
        self.imageURL = imageURL
        self.audioURL = audioURL
        self.duration = duration
        self.z = z
        self.color = color
    }

    /// The argument of `element:update`; nil where a number is not finite.
    func argument(roomID: String, elementID: String, version: Int?, baseVersion: Int? = nil) -> [UInt8]? {
        let numbers = [
            ("positionX", x), ("positionY", y), ("width", width), ("height", height), ("duration", duration), ("z", z),
        ]
        let texts = [("content", content), ("imageUrl", imageURL), ("audioUrl", audioURL), ("color", color)]
        guard numbers.allSatisfy({ $0.1?.isFinite ?? true }) else { return nil }
        var bytes: [UInt8] = []
        JSONWriter.write(into: &bytes) { json in
            json.beginObject()
            json.member("roomId", roomID)
            json.member("elementId", elementID)
            for case (let name, let number?) in numbers { json.member(name, number) }
            for case (let name, let text?) in texts { json.member(name, text) }
            if let version { json.member("version", version) }
            if let baseVersion { json.member("baseVersion", baseVersion) }
            json.endObject()
        }
        return bytes
    }
}
