import Wire

/// An element of a room's canvas. Values from clients are kept as the JSON that the clients sent, after it was checked.
package struct Element: Sendable, Equatable {
    package enum Kind: String, Sendable, CaseIterable {
        case note
        case photo
        case audio
    }

    /// The members that a client may set and change.
    package enum Field: Int, Sendable, CaseIterable {
        case positionX, positionY, width, height, content, imageUrl, audioUrl, duration, z, color

        var name: StaticString {
            switch self {
            case .positionX: "positionX"
            case .positionY: "positionY"
            case .width: "width"
            case .height: "height"
            case .content: "content"
            case .imageUrl: "imageUrl"
            case .audioUrl: "audioUrl"
            case .duration: "duration"
            case .z: "z"
            case .color: "color"
            }
        }

        /// An element without one of these fields could not be placed.
        package var isRequired: Bool { rawValue <= Field.height.rawValue }
    }

    /// Values by `Field.rawValue`. Each is JSON, or empty if the element has no such value.
    package typealias Values = [[UInt8]]

    package static let noValues: Values = Array(repeating: [], count: Field.allCases.count)

    package let id: String
    package let kind: Kind
    /// The creator's id as JSON.
    package let createdBy: [UInt8]
    package let createdAt: Int64
    package internal(set) var values: Values
    package internal(set) var version = 1
    /// The room's era in which it got this version.
    package var era = 0
    package internal(set) var updatedAt: Int64?
    package internal(set) var updatedBy: [UInt8] = []

    /// How many versions each new era leaves out: more than a home ever tells its members before they are stored.
    package static let versionsLeftOut = 1 << 14

    /// Gives it a version that no state of it had which members were told of, stored or not.
    mutating func countVersion(in era: Int) {
        version += 1 + max(era - self.era, 0) * Self.versionsLeftOut
        self.era = era
    }

    /// The length of the element's JSON for clients, without the room's id.
    var byteCount: Int {
        var bytes: [UInt8] = []
        append(roomJSON: [], to: &bytes)
        return bytes.count
    }

    /// Appends the element's JSON for clients.
    package func append(roomJSON: [UInt8], to bytes: inout [UInt8]) {
        bytes.append(contentsOf: #"{"id":""#.utf8)
        bytes.append(contentsOf: id.utf8)
        bytes.append(contentsOf: #"","roomId":"#.utf8)
        bytes.append(contentsOf: roomJSON)
        bytes.append(contentsOf: #","type":""#.utf8)
        bytes.append(contentsOf: kind.rawValue.utf8)
        bytes.append(contentsOf: #"","createdBy":"#.utf8)
        bytes.append(contentsOf: createdBy)
        for field in Field.allCases where !values[field.rawValue].isEmpty {
            bytes.append(contentsOf: ",\"".utf8)
            field.name.withUTF8Buffer { bytes.append(contentsOf: $0) }
            bytes.append(contentsOf: "\":".utf8)
            bytes.append(contentsOf: values[field.rawValue])
        }
        bytes.append(contentsOf: #","createdAt":""#.utf8)
        Moment.append(createdAt, to: &bytes)
        bytes.append(contentsOf: #"","version":"#.utf8)
        DecimalInteger.append(version, to: &bytes)
        if let updatedAt {
            bytes.append(contentsOf: #","updatedAt":""#.utf8)
            Moment.append(updatedAt, to: &bytes)
            bytes.append(contentsOf: #"","updatedBy":"#.utf8)
            bytes.append(contentsOf: updatedBy)
        }
        bytes.append(UInt8(ascii: "}"))
    }
}
