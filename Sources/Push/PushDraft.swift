import Store
import Threads
import Wire

/// What a notification of the outbox says, and which devices get it, as both are just before sending.
enum PushDraft {
    case ready(PushContent, [Device])
    /// It need not be sent.
    case done(PushEnd)
    /// It is not known now.
    case unknown(reason: String)
}

/// Makes drafts of notifications that were leased together.
struct PushDrafting {
    private let store: PushStore
    private let live: PushSender.Live
    private let limits: PushLimits
    private var rooms: [String: RoomRecord?] = [:]
    private var people: [String: [String]] = [:]

    init(_ store: PushStore, live: @escaping PushSender.Live, limits: PushLimits) {
        self.store = store
        self.live = live
        self.limits = limits
    }

    mutating func draft(_ push: Push) throws(StoreError) -> PushDraft {
        if let kind = PushKind(rawValue: push.type) { return try draft(push, kind) }
        guard let push = AppPush(push) else { return .done(.unknownType) }
        return try draft(push)
    }

    // MARK: Of applications

    private func draft(_ push: AppPush) throws(StoreError) -> PushDraft {
        let data = [PushContent.Datum(name: "type", value: push.type)]
        let content = PushContent(
            type: push.type, subject: push.subject, title: push.title, text: push.text,
            data: data + push.data.map { PushContent.Datum(name: $0.name, value: $0.value) },
            look: PushLook.of(push.app, push.type))
        if let device = push.device {
            let device = Device(
                token: device.token, account: push.account, platform: device.platform, app: push.app)
            return .ready(content, [device])
        }
        let devices = try store.ask { $0.devices(of: push.account, then: $1) }.filter { $0.app == push.app }
        guard !devices.isEmpty else { return .done(.noDevice) }
        let wanting = devices.filter { $0.wants(push.type) }
        return wanting.isEmpty ? .done(.unwanted) : .ready(content, wanting)
    }

    // MARK: Of rooms and of the inbox

    private mutating func draft(_ push: Push, _ kind: PushKind) throws(StoreError) -> PushDraft {
        let actor = (try? JSONReader(push.json))?["by"]?.string ?? ""
        let wishes = try store.ask { $0.pushPreferences(of: push.account, then: $1) }
        guard wishes.wants(push.type, from: push.room) else { return .done(.unwanted) }
        let devices = try store.ask { $0.devices(of: push.account, then: $1) }.filter(kind.reaches)
        guard !devices.isEmpty else { return .done(.noDevice) }
        let wanting = devices.filter { device in
            // The device that has made a silent change knows it.
            device.wants(push.type) && !(kind.isSilent && !actor.isEmpty && device.session?.isSameID(as: actor) == true)
        }
        guard !wanting.isEmpty else { return .done(.unwanted) }
        switch kind {
        case .roomCreated, .roomRenamed, .elementAdded: return try draftOfRoom(push, kind, by: actor, wanting)
        case .messageReceived: return try draftOfMessage(push, kind, wanting)
        case .balanceChanged: return try draftOfBalance(push, kind, wanting)
        case .moodChanged, .profileChanged:
            var content = PushContent(push, title: "", text: "", subjectName: nil)
            content.isSilent = true
            return .ready(content, wanting)
        }
    }

    private mutating func draftOfRoom(
        _ push: Push, _ kind: PushKind, by actor: String, _ devices: [Device]
    ) throws(StoreError) -> PushDraft {
        guard let room = try room(push.room), room.isActive, room.isMember(push.account) else {
            return .done(.noMember)
        }
        guard let people = participants(push.room) else {
            return .unknown(reason: "the room did not say who is in it")
        }
        guard !people.contains(where: push.account.isSameID) else { return .done(.inRoom) }
        let content = PushContent(
            push, title: PushText.title(roomName: room.name),
            text: PushText.text(kind, by: room.firstName(actor)), subjectName: "roomId")
        return .ready(content, devices)
    }

    /// A message that the person has read or removed meanwhile needs no notification.
    private func draftOfMessage(
        _ push: Push, _ kind: PushKind, _ devices: [Device]
    ) throws(StoreError) -> PushDraft {
        let message = try store.ask { $0.message(push.room, then: $1) }
        guard let message, message.readAt == nil, message.person.isSameID(as: push.account) else {
            return .done(.unwanted)
        }
        var sender: String?
        if let id = message.sender { sender = try store.ask { $0.person(id, then: $1) }?.name }
        let content = PushContent(
            push, title: PushText.title(roomName: nil), text: PushText.text(kind, by: sender),
            subjectName: "messageId")
        return .ready(content, devices)
    }

    /// A wallet that the person has no more is of no interest.
    private func draftOfBalance(
        _ push: Push, _ kind: PushKind, _ devices: [Device]
    ) throws(StoreError) -> PushDraft {
        let wallets = try store.ask { $0.wallets(of: push.account, then: $1) }
        guard let wallet = wallets.first(where: { $0.id.isSameID(as: push.room) }) else { return .done(.unwanted) }
        let content = PushContent(
            push, title: PushText.title(roomName: nil),
            text: PushText.text(kind, by: PushText.short(wallet.address)), subjectName: "walletId")
        return .ready(content, devices)
    }

    private mutating func room(_ id: String) throws(StoreError) -> RoomRecord? {
        if let room = rooms[id] { return room }
        let room = try store.ask { $0.room(id, then: $1) }
        rooms[id] = .some(room)
        return room
    }

    private mutating func participants(_ id: String) -> [String]? {
        if let people = people[id] { return people }
        let answer = Monitor<[String]??>(nil)
        live(id) { people in
            answer.withLock { $0 = .some(people) }
            answer.notify()
        }
        let end = Clock.milliseconds() + limits.liveMillisecondsMax
        let found: [String]? = answer.wait { people in
            if let people { return .done(people) }
            return Clock.milliseconds() < end ? .again(at: end) : .done(nil)
        }
        people[id] = found
        return found
    }
}

extension PushContent {
    /// - Parameter subjectName: what the application knows the subject by; nil for one that it does not know.
    fileprivate init(_ push: Push, title: String, text: String, subjectName: String?) {
        let subject = subjectName.map { Datum(name: $0, value: push.room) }
        self.init(
            type: push.type, subject: push.room, title: title, text: text,
            data: [Datum(name: "type", value: push.type)] + [subject].compactMap { $0 }, look: PushLook())
    }
}

extension RoomRecord {
    fileprivate func isMember(_ account: String) -> Bool {
        members.contains { $0.leftAt == nil && $0.account.id.isSameID(as: account) }
    }

    fileprivate func firstName(_ account: String) -> String? {
        members.first { $0.account.id.isSameID(as: account) }?.account.profile?.firstName
    }
}

extension String {
    /// Byte for byte: strings of Swift are equal when Unicode holds them for the same letters.
    fileprivate func isSameID(as other: String) -> Bool { utf8.elementsEqual(other.utf8) }
}
