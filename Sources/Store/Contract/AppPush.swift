import Wire

/// A notification of an application for one user, as the outbox keeps it.
package struct AppPush: Sendable, Equatable {
    /// Its devices get it.
    package let app: String
    package let account: String
    /// Devices choose by it.
    package let type: String
    /// What it is about: there is one notification for each user, subject, type and minute.
    package let subject: String
    package let title: String
    package let text: String
    /// What the application gets besides the type, in this order.
    package let data: [Datum]
    /// The only device that gets it, registered or not; nil for those of the user.
    package var device: Address?

    /// The application of notifications that name none.
    package static let library = "muejam"

    package struct Datum: Sendable, Equatable {
        package let name: String
        package let value: String

        package init(_ name: String, _ value: String) {
            self.name = name
            self.value = value
        }
    }

    package struct Address: Sendable, Equatable {
        package let token: String
        package let platform: DevicePlatform

        package init(token: String, platform: DevicePlatform) {
            self.token = token
            self.platform = platform
        }
    }

    package init(
        app: String, account: String, type: String, subject: String, title: String, text: String, data: [Datum]
    ) {
        self.app = app
        self.account = account
        self.type = type
        self.subject = subject
        self.title = title
        self.text = text
        self.data = data
    }

    /// To be enqueued.
    package func push(at now: Int64) -> Push {
        var json: [UInt8] = []
        JSONWriter.write(into: &json) { json in
            json.beginObject()
            json.member("app", app)
            json.member("title", title)
            json.member("body", text)
            json.key("data")
            json.beginObject()
            for datum in data { json.member(datum.name, datum.value) }
            json.endObject()
            if let device {
                json.member("token", device.token)
                json.member("platform", device.platform.rawValue)
            }
            json.endObject()
        }
        return Push(account: account, room: subject, type: type, at: now, dueAt: now, json: json)
    }

    /// Nil for a notification about a room.
    package init?(_ push: Push) {
        guard let json = try? JSONReader(push.json), let title = json["title"]?.string else { return nil }
        let data = (json["data"]?.members ?? []).map { Datum($0.key, $0.value.string ?? "") }
        self.init(
            app: json["app"]?.string ?? Self.library, account: push.account, type: push.type, subject: push.room,
            title: title, text: json["body"]?.string ?? "", data: data)
        if let token = json["token"]?.string,
            let platform = json["platform"]?.string.flatMap(DevicePlatform.init(rawValue:))
        {
            device = Address(token: token, platform: platform)
        }
    }
}
