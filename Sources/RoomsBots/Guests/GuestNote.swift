import RoomsClient

/// The one note of a guest. It is written after a while, carried now and then, and left alone once a user has changed
/// it.
final class GuestNote {
    private enum State {
        case unwritten
        /// The server was asked to create it. The room's event tells the id.
        case asked
        /// As the room's events tell it. They come in the order of the changes; answers come before them or after.
        case own(id: String, version: Int)
        /// A user has changed or deleted it, or the server has refused it.
        case leftAlone
    }

    private let content: String
    private let author: String
    private let roomID: String
    private let writtenAfter: Int64
    /// Where it is kept.
    private let area: GuestArea
    private var state = State.unwritten
    /// While it is carried: until when, and where the hand holds it.
    private var hold: (until: Int64, x: Double, y: Double)?
    private var restsUntil: Int64 = 0
    private var isMoving = false
    /// What the guest's last move made of it.
    private var movedVersion = 0
    private var place = (x: 0.0, y: 0.0)
    /// The guest is leaving, and the note is there still.
    private(set) var isGoing = false
    /// The server was asked to delete it.
    private var isDeleting = false

    private static let size = (width: 190.0, height: 110.0)
    private static let carryMilliseconds: Int64 = 2_500
    private static let restMilliseconds: Int64 = 5_000

    /// Whether the note exists and no user has changed it.
    var isOwn: Bool { if case .own = state { true } else { false } }

    /// - Parameter author: the guest's id.
    init(_ content: String, of author: String, writtenAfter: Int64, in roomID: String, _ area: GuestArea) {
        self.content = content
        self.author = author
        self.writtenAfter = writtenAfter
        self.roomID = roomID
        self.area = area
    }

    /// The hand is at a place now: writes the note there, or has it come along.
    ///
    /// - Returns: the note's id while it is held.
    func carry(toX x: Double, y: Double, now: Int64, _ session: ClientSession) -> String? {
        if case .unwritten = state, now >= writtenAfter { write(x, y, session) }
        guard case .own(let id, _) = state else { return nil }
        if let hold, now < hold.until {
            move(id, x - hold.x, y - hold.y, session)
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

    private func write(_ x: Double, _ y: Double, _ session: ClientSession) {
        state = .asked
        place = within(x - Self.size.width / 2, y - Self.size.height / 2)
        let element = NewElement(
            .note, x: place.x, y: place.y, width: Self.size.width, height: Self.size.height, content: content)
        session.create(element, in: roomID) { [weak self] result in
            if case .failure = result { self?.leaveAlone() }
        }
    }

    private func within(_ x: Double, _ y: Double) -> (x: Double, y: Double) {
        (
            min(max(x, area.left), area.left + area.width - Self.size.width).rounded(),
            min(max(y, area.top), area.top + area.height - Self.size.height).rounded()
        )
    }

    /// One change at a time. A newer change replaces one that waits.
    private func move(_ id: String, _ x: Double, _ y: Double, _ session: ClientSession) {
        guard !isMoving else { return }
        isMoving = true
        place = within(x, y)
        session.update(id, ElementChange(x: place.x, y: place.y), in: roomID) { [weak self, weak session] result in
            guard let self else { return }
            isMoving = false
            if case .success(let element) = result { movedVersion = element.version }
            if isGoing { delete(session) }
        }
    }

    // MARK: What the room tells

    /// An element is there or has changed. It may be this one: a guest writes no other.
    func take(_ element: Element, _ session: ClientSession) {
        switch state {
        case .unwritten, .leftAlone: return
        case .asked, .own: if element.createdBy != author { return }
        }
        if let user = element.updatedBy, user != author { return leaveAlone() }
        state = .own(id: element.id, version: element.version)
        if isGoing { delete(session) }
    }

    /// The whole state: the guest may have missed something.
    func take(_ room: RoomState, _ session: ClientSession) {
        if case .own(let id, _) = state, room.elements[id] == nil { leaveAlone() }
        for element in room.elements.values { take(element, session) }
    }

    func takeDeletion(of elementID: String) {
        if case .own(elementID, _) = state { leaveAlone() }
    }

    private func leaveAlone() {
        state = .leftAlone
        isGoing = false
    }

    // MARK: The end

    /// Deletes the note. One that a user has changed stays.
    func takeAway(_ session: ClientSession) {
        switch state {
        case .unwritten, .leftAlone: return
        case .asked, .own: isGoing = true
        }
        delete(session)
    }

    /// Only the version that the guest knows: a user may just have changed the note. So it waits for what its own last move has made.
    private func delete(_ session: ClientSession?) {
        guard case .own(let id, let version) = state, !isMoving, version >= movedVersion, !isDeleting else { return }
        isDeleting = true
        session?.delete(id, in: roomID, ifVersion: version) { [weak self] _ in self?.leaveAlone() }
    }
}
