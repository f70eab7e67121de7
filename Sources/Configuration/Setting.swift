/// One row of the table of settings. Options, environment variables, the file, the help, `check-config` and the
/// documentation are all made from it.
package struct Setting: Sendable {
    package let name: String
    package let group: SettingGroup
    /// What stands for the value in help, such as `DURATION`.
    package let placeholder: String
    /// The allowed values, for users; empty when the placeholder is enough.
    package let bounds: String
    /// The default as a user would write it, or a text that explains it.
    package let defaultText: String
    /// One sentence that says what the setting does.
    package let help: String
    /// The reason for the setting, and what happens past a bound.
    package let reason: String

    package let isRepeatable: Bool
    package let isFlag: Bool
    package let isSecret: Bool

    let quantity: Quantity?
    /// Reads texts into the configuration, which stays as it was if one of them is wrong. There is one text, unless the
    /// setting is repeatable.
    let assign: @Sendable ([RawValue], inout ServerConfiguration) -> [(value: RawValue, fault: ValueFault)]
    /// The value as it would be written; a secret is masked.
    package let show: @Sendable (ServerConfiguration) -> String

    package var optionName: String { "--\(name)" }
    package var environmentName: String { "ROOMS_" + name.uppercased().map { $0 == "-" ? "_" : $0 } }
}

/// A chapter of the help.
package enum SettingGroup: String, CaseIterable, Sendable {
    case listening = "Listening"
    case identity = "Tokens"
    case accounts = "Accounts"
    case storage = "Storage"
    case cluster = "Cluster"
    case push = "Notifications"
    case tls = "TLS"
    case browsers = "Browsers and proxies"
    case protocols = "Engine.IO and Socket.IO"
    case rooms = "Rooms"
    case rates = "Rates"
    case media = "Uploaded files"
    case recordings = "Recordings"
    case limits = "Limits"
    case compression = "Compression"
    case operation = "Operation"
}

// MARK: Rows by the kind of field

typealias Field<Value> = any WritableKeyPath<ServerConfiguration, Value> & Sendable

extension Setting {
    /// A setting that always has a value.
    init<Value>(
        _ name: String, _ group: SettingGroup, _ field: Field<Value>, _ type: ValueType<Value>,
        default label: String? = nil, _ help: String, _ reason: String
    ) {
        self.init(
            name, group, type, isRepeatable: false,
            defaultText: label ?? type.format(ServerConfiguration()[keyPath: field]), help, reason,
            assign: { values, configuration in
                Self.assignLast(values, type) { configuration[keyPath: field] = $0 }
            },
            show: { type.format($0[keyPath: field]) })
    }

    /// A setting that may have none.
    init<Value>(
        _ name: String, _ group: SettingGroup, optional field: Field<Value?>, _ type: ValueType<Value>,
        none: String = "none", _ help: String, _ reason: String
    ) {
        self.init(
            name, group, type, isRepeatable: false, defaultText: none, help, reason,
            assign: { values, configuration in
                Self.assignLast(values, type) { configuration[keyPath: field] = $0 }
            },
            show: { $0[keyPath: field].map(type.format) ?? none })
    }

    /// A setting that is a list.
    init<Value>(
        _ name: String, _ group: SettingGroup, list field: Field<[Value]>, _ type: ValueType<Value>,
        none: String = "none", _ help: String, _ reason: String
    ) {
        let show: @Sendable (ServerConfiguration) -> String = {
            let list = $0[keyPath: field]
            return list.isEmpty ? none : list.map(type.format).joined(separator: ", ")
        }
        self.init(
            name, group, type, isRepeatable: true, defaultText: show(ServerConfiguration()), help, reason,
            assign: { values, configuration in
                Self.assignAll(values, type) { configuration[keyPath: field] = $0 }
            },
            show: show)
    }

    private init<Value>(
        _ name: String, _ group: SettingGroup, _ type: ValueType<Value>, isRepeatable: Bool, defaultText: String,
        _ help: String, _ reason: String,
        assign: @escaping @Sendable ([RawValue], inout ServerConfiguration) -> [(value: RawValue, fault: ValueFault)],
        show: @escaping @Sendable (ServerConfiguration) -> String
    ) {
        self.init(
            name: name, group: group, placeholder: type.placeholder, bounds: type.bounds, defaultText: defaultText,
            help: help, reason: reason, isRepeatable: isRepeatable, isFlag: Value.self == Bool.self,
            isSecret: Value.self == Secret.self, quantity: type.quantity, assign: assign, show: show)
    }

    private static func assignLast<Value>(
        _ values: [RawValue], _ type: ValueType<Value>, set: (Value) -> Void
    ) -> [(value: RawValue, fault: ValueFault)] {
        guard let value = values.last else { return [] }
        switch type.parse(value.text) {
        case .success(let parsed):
            set(parsed)
            return []
        case .failure(let fault):
            return [(value, fault)]
        }
    }

    private static func assignAll<Value>(
        _ values: [RawValue], _ type: ValueType<Value>, set: ([Value]) -> Void
    ) -> [(value: RawValue, fault: ValueFault)] {
        var list: [Value] = []
        var faults: [(value: RawValue, fault: ValueFault)] = []
        for value in values {
            switch type.parse(value.text) {
            case .success(let parsed): list.append(parsed)
            case .failure(let fault): faults.append((value, fault))
            }
        }
        if faults.isEmpty { set(list) }
        return faults
    }
}
