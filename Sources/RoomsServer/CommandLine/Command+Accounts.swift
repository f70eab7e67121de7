import Store

/// Commands on the accounts of a server.
extension Command {
    static let grantAdmin = role("grant-admin", .admin, summary: "Make a user an administrator.", page: grantAdminPage)
    static let revokeAdmin = role(
        "revoke-admin", .user, summary: "Make an administrator an ordinary user.", page: revokeAdminPage)

    private static func role(
        _ name: String, _ role: AccountHolder.Role, summary: String, page: String
    ) -> Command {
        Command(
            name: name, usage: "\(name) [--data DIR | --store-file FILE] USER", summary: summary, page: { page }
        ) { context in
            run(context, name, operand: "USER", flags: ["store"], page: page) { options throws(StoreError) in
                let place = options.place ?? .directory(options.data)
                let person = try AccountTool.setRole(role, of: options.operand, in: place)
                context.standardOutput(
                    "\(printable(person.name)) (\(person.id), \(printable(person.email))) now has the role \(role.rawValue).\n"
                )
                return .ok
            }
        }
    }
}

/// How a command of accounts is told where they are.
let placeOptions = """
    Options:
      --data DIR        The data directory. Otherwise ROOMS_DATA, or the setting data of the file that
                        --config FILE or ROOMS_CONFIG names.
      --store-file FILE A file with the URL of a PostgreSQL database, as for rooms serve; --store URL
                        names it directly.
    """

private let grantAdminPage = """
    Usage: rooms grant-admin [--data DIR | --store-file FILE] USER

    Makes a user, named by id or e-mail address, an administrator: in the interfaces of applications
    (apps) administrators see, add, change and remove every user. It holds from the user's next request
    on. A server may use the place meanwhile. Anybody can sign up with an address that is not theirs, so
    ask the person for the id: GET /subspace/api/v1/auth/me shows it.

    \(placeOptions)

    """

private let revokeAdminPage = """
    Usage: rooms revoke-admin [--data DIR | --store-file FILE] USER

    Makes an administrator an ordinary user again, from the next request on. A server may use the place
    meanwhile.

    \(placeOptions)

    """
