import Transport

/// An application whose interface a server has, and where.
package struct AppMount: Sendable, Hashable {
    package enum Place: Sendable, Hashable {
        /// Below a path that has its name.
        case path
        /// At the root of a name of the server.
        case host(String)
        /// At the root of a listener of its own.
        case listener(ListenAddress)
    }

    package let app: AppChoice
    package var place = Place.path

    package init(_ app: AppChoice, at place: Place = .path) {
        self.app = app
        self.place = place
    }

    package var listener: ListenAddress? { if case .listener(let address) = place { address } else { nil } }
    package var host: String? { if case .host(let name) = place { name } else { nil } }
}

extension ValueType where Value == AppMount {
    /// `NAME`, `NAME@HOST` or `NAME@ADDRESS:PORT`.
    static var app: ValueType {
        let choice = ValueType<AppChoice>.choice
        return ValueType(
            "NAME[@PLACE]", bounds: choice.placeholder,
            format: { mount in
                let name = choice.format(mount.app)
                return switch mount.place {
                case .path: name
                case .host(let host): name + "@" + host
                case .listener(let address): "\(name)@\(address)"
                }
            },
            parse: { text in
                let parts = text.split(separator: "@", maxSplits: 1, omittingEmptySubsequences: false)
                return choice.parse(String(parts.first ?? "")).flatMap { app in
                    guard parts.count == 2 else { return .success(AppMount(app)) }
                    guard app != .all else {
                        let right = "Right is a name before @, or all alone"
                        return .failure(ValueFault("is one place for all applications", right: right))
                    }
                    return place(String(parts[1])).map { AppMount(app, at: $0) }
                }
            })
    }

    /// A port makes it an address to listen on.
    private static func place(_ text: String) -> Result<AppMount.Place, ValueFault> {
        if text.contains(":") { return ValueType<ListenAddress>.listen.parse(text).map(AppMount.Place.listener) }
        let right = "Right is a host name, like app.example.com, or an address with a port, like 127.0.0.1:3000"
        guard let place = HostPort(text), case .name(let name) = place.host, !name.hasPrefix("."), !name.hasSuffix(".")
        else { return .failure(ValueFault("has no host name behind @", right: right)) }
        return .success(.host(name))
    }
}
