import Wire

/// A rectangle of a room's coordinates: what a client wants to see of it.
public struct RoomView: Equatable, Sendable {
    public var x: Double
    public var y: Double
    public var width: Double
    public var height: Double

    public init(x: Double, y: Double, width: Double, height: Double) {
        (self.x, self.y, self.width, self.height) = (x, y, width, height)
    }
}

/// What this client sees of its rooms.
extension ClientSession {
    /// Asks for the touches within a part of a room only, now and after each lost connection; nil for all of them. The room
    /// must have been joined, or asked for.
    public func setView(_ view: RoomView?, in roomID: String) {
        guard rooms.contains(roomID), view?.isValid ?? true else { return }
        let argument = Self.argument(roomID, view)
        views[roomID] = view == nil ? nil : argument
        if isJoined(roomID) { emit("view:set", argument) }
    }

    func sendViews() {
        for (roomID, argument) in views where isJoined(roomID) { emit("view:set", argument) }
    }

    private static func argument(_ roomID: String, _ view: RoomView?) -> [UInt8] {
        var bytes: [UInt8] = []
        JSONWriter.write(into: &bytes) { json in
            json.beginObject()
            json.member("roomId", roomID)
            if let view {
                json.member("x", view.x)
                json.member("y", view.y)
                json.member("width", view.width)
                json.member("height", view.height)
            }
            json.endObject()
        }
        return bytes
    }
}

extension RoomView {
    fileprivate var isValid: Bool { x.isFinite && y.isFinite && width > 0 && height > 0 && (width + height).isFinite }
}
