import RoomsClient

/// The one note of a guest. It is written after a while, carried now and then, and left alone once a user has changed
/// it.
final class GuestNote {
    private let content: String
    private let writtenAfter: Int64
    /// Where it is kept.
    private let area: GuestArea
    private var wasWritten = false
    private var id: String?
    /// While it is carried: until when, and where the hand holds it.
    private var hold: (until: Int64, x: Double, y: Double)?
    private var restsUntil: Int64 = 0
    private var isMoving = false
    private var place = (x: 0.0, y: 0.0)
    /// A user has changed the note, so the guest leaves it alone.
    private var isTaken = false

    private static let size = (width: 190.0, height: 110.0)
    private static let carryMilliseconds: Int64 = 2_500
    private static let restMilliseconds: Int64 = 5_000

    /// Whether the note exists and no user has changed it.
    var isOwn: Bool { id != nil && !isTaken }

    init(_ content: String, writtenAfter: Int64, in area: GuestArea) {
        self.content = content
        self.writtenAfter = writtenAfter
        self.area = area
    }

    /// The hand is at a place now: writes the note there, or has it come along.
    ///
    /// - Returns: the note's id while it is held.
    func carry(toX x: Double, y: Double, now: Int64, in roomID: String, _ session: ClientSession) -> String? {
        guard wasWritten else {
            if now >= writtenAfter { write(x, y, roomID, session) }
            return nil
        }
        guard let id, !isTaken else { return nil }
        if let hold, now < hold.until {
            move(id, x - hold.x, y - hold.y, roomID, session)
            return id
        }
        if hold != nil {
            hold = nil
            restsUntil = now + Self.restMilliseconds
        }
        let (inX, inY) = (x - place.x, y - place.y)
        if now >= restsUntil, (0...Self.size.width).contains(inX), (0...Self.size.height).contains(inY) {
            hold = (now + Self.carryMilliseconds, inX, inY)
        }
        return hold == nil ? nil : id
    }

    private func write(_ x: Double, _ y: Double, _ roomID: String, _ session: ClientSession) {
        wasWritten = true
        place = within(x - Self.size.width / 2, y - Self.size.height / 2)
        let element = NewElement(
            .note, x: place.x, y: place.y, width: Self.size.width, height: Self.size.height, content: content)
        session.create(element, in: roomID) { [weak self] result in
            if case .success(let element) = result { self?.id = element.id }
        }
    }

    private func within(_ x: Double, _ y: Double) -> (x: Double, y: Double) {
        (
            min(max(x, area.left), area.left + area.width - Self.size.width).rounded(),
            min(max(y, area.top), area.top + area.height - Self.size.height).rounded()
        )
    }

    /// One change at a time. A newer change replaces one that waits.
    private func move(_ id: String, _ x: Double, _ y: Double, _ roomID: String, _ session: ClientSession) {
        guard !isMoving else { return }
        isMoving = true
        place = within(x, y)
        session.update(id, ElementChange(x: place.x, y: place.y), in: roomID) { [weak self] _ in
            self?.isMoving = false
        }
    }

    /// What happened to an element, which may be this one.
    func take(_ event: IncomingEvent, _ text: Span<UInt8>, own: String) {
        guard let id else { return }
        if event.kind == .elementDeleted {
            if EventArguments.deleted(text, event.arguments)?.elementID == id { isTaken = true }
        } else if let element = Element(text, event.arguments), element.id == id, element.updatedBy != own {
            isTaken = true
        }
    }

    /// A note that a user has changed stays.
    func takeAway(in roomID: String, _ session: ClientSession?) {
        guard let id, !isTaken else { return }
        session?.delete(id, in: roomID) { _ in }
    }
}
