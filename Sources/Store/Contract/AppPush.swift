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
    /// How Android shows it.
    package var icon: String?
    package var color: String?
    package var tag: String?
    /// The only device that gets it, registered or not; nil for those of the user.
    package var device: Address?

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
            json.member("text", text)
            json.key("data")
            json.beginObject()
            for datum in data { json.member(datum.name, datum.value) }
            json.endObject()
            for (name, value) in [("icon", icon), ("color", color), ("tag", tag)] {
                if let value { json.member(name, value) }
            }
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
        guard let json = try? JSONReader(push.json), let app = json["app"]?.string else { return nil }
        let data = (json["data"]?.members ?? []).map { Datum($0.key, $0.value.string ?? "") }
        self.init(
            app: app, account: push.account, type: push.type, subject: push.room,
            title: json["title"]?.string ?? "", text: json["text"]?.string ?? "", data: data)
        icon = json["icon"]?.string
        color = json["color"]?.string
        tag = json["tag"]?.string
        if let token = json["token"]?.string,
            let platform = json["platform"]?.string.flatMap(DevicePlatform.init(rawValue:))
        {
            device = Address(token: token, platform: platform)
        }
    }
}
