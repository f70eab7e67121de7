import Carriers
import Store
import Threads

/// What people do with their e-mail addresses: a code that was sent to an address shows that it is the person's own.
extension Accounts {
    // MARK: A forgotten password

    /// Sends a code with which whoever reads the letters of an address sets a new password. Whether somebody has an account
    /// with the address makes no difference: the letter is written after the answer.
    package func sendPasswordCode(to email: String, _ client: AccountClient) async throws(AccountFault) {
        let mail = try await spendLetter(to: email, client)
        Task {
            guard let known = try? await store.told({ $0.credentials(email: email, then: $1) }) else { return }
            try? await counted(.mail) { () async throws(AccountFault) in
                let code = try await newCode(for: Self.passwordRecipient(email), client)
                let text = """
                    Somebody asked for a new password for your account. If it was you, this is the code for it:

                    \(code.digits)

                    It can be used for \(limits.codeSecondsMax / 60) minutes. If it was not you, do nothing: your password stays as
                    it is.
                    """
                try await send(code, CarriedText(to: known.person.email, subject: "Your code", text), by: mail)
            }
        }
    }

    /// Sets a new password for whoever got the code, ends all sessions of the person, and begins one.
    package func resetPassword(
        email: String, code: String, _ password: String, _ client: AccountClient
    ) async throws(AccountFault) -> SignIn {
        try attempts.count(email, client.address, nowMilliseconds: Clock.milliseconds())
        // This may fail on a busy server, and the code can be used only once.
        let hash = try await hasher.hash(password)
        try await use(code, of: Self.passwordRecipient(email), client)
        guard let known = try await store.told({ $0.credentials(email: email, then: $1) }) else { throw .wrongCode }
        try await set(hash, of: known.person, showing: email, keeping: nil, client)
        attempts.succeeded(email, client.address)
        guard let person = try await store.told({ $0.person(known.person.id, then: $1) }) else { throw .wrongCode }
        return try await beginSession(of: person, client)
    }

    /// Changes the password of somebody who knows it, and ends all other sessions of the person.
    package func changePassword(
        of person: AccountHolder, session: String, from old: String, to new: String, _ client: AccountClient
    ) async throws(AccountFault) {
        try await check(old, of: person, client)
        let hash = try await hasher.hash(new)
        try await set(hash, of: person, showing: nil, keeping: session, client)
    }

    private func set(
        _ hash: String, of person: AccountHolder, showing email: String?, keeping session: String?,
        _ client: AccountClient
    ) async throws(AccountFault) {
        let ended = try await store.told {
            $0.changePassword(hash, of: person.id, showing: email, keeping: session, at: client.now, then: $1)
        }
        for id in ended { tell(EndedSession(id: id, person: person.id)) }
        let content = "Your password was changed. All your other sessions were ended. The client was: \(client.agent)"
        try await warn(person.id, content, now: client.now)
        notify(person.email, "Your password was changed", "The password of your account was changed just now.")
    }

    /// Throws `wrongCredentials` when it is not the password of the person, and `noPassword` when the person has none.
    private func check(_ password: String, of person: AccountHolder, _ client: AccountClient) async throws(AccountFault)
    {
        try attempts.count(person.email, client.address, nowMilliseconds: Clock.milliseconds())
        guard !person.email.isEmpty,
            let hash = try await store.told({ $0.credentials(email: person.email, then: $1) })?.passwordHash
        else { throw .noPassword }
        guard try await hasher.matches(password, hash) else { throw .wrongCredentials }
        attempts.succeeded(person.email, client.address)
    }

    // MARK: An address

    /// Sends a code to an address that a person says to be its own: the one that it has, or a new one. For a new one a person
    /// with a password must give it.
    package func sendEmailCode(
        to email: String, of person: AccountHolder, password: String?, _ client: AccountClient
    ) async throws(AccountFault) {
        if email.foldedASCII != person.email.foldedASCII {
            do throws(AccountFault) {
                try await check(password ?? "", of: person, client)
            } catch {
                if error != .noPassword { throw error }
            }
        }
        let mail = try await spendLetter(to: email, client)
        Task {
            // The sender of the request must not learn whose address it is.
            let owner = try? await store.told { $0.credentials(email: email, then: $1) }?.person.id
            if let owner, owner != person.id {
                return notify(
                    email, "Your address",
                    """
                    Somebody wants to use this address for another account. It belongs to an account already, so \
                    nothing was changed.
                    """)
            }
            try? await counted(.mail) { () async throws(AccountFault) in
                let code = try await newCode(for: Self.emailRecipient(email, of: person.id), client)
                let text = """
                    With this code you show that this address is yours:

                    \(code.digits)

                    It can be used for \(limits.codeSecondsMax / 60) minutes. If you did not ask for it, do nothing.
                    """
                try await send(code, CarriedText(to: email, subject: "Your code", text), by: mail)
            }
        }
    }

    /// Gives a person the address that the code was sent to.
    package func confirmEmail(
        _ email: String, code: String, of person: AccountHolder, _ client: AccountClient
    ) async throws(AccountFault) -> AccountHolder {
        try await use(code, of: Self.emailRecipient(email, of: person.id), client)
        let changed = try await store.told { $0.setEmail(email, of: person.id, at: client.now, then: $1) }
        if email.foldedASCII != person.email.foldedASCII { try await tellOfNewAddress(person, now: client.now) }
        return changed
    }

    /// Changes what is not nil. A changed address is not shown to be the person's own; the person is told at the old one.
    package func change(
        _ id: String, name: String?, email: String?, now: Int64
    ) async throws(AccountFault) -> AccountHolder {
        let before = try await store.told { $0.person(id, then: $1) }
        let changed = try await store.told { $0.changePerson(id, name: name, email: email, at: now, then: $1) }
        if let before, before.email.foldedASCII != changed.email.foldedASCII {
            try await tellOfNewAddress(before, now: now)
        }
        return changed
    }

    private func tellOfNewAddress(_ person: AccountHolder, now: Int64) async throws(AccountFault) {
        try await warn(person.id, "The e-mail address of your account was changed.", now: now)
        notify(person.email, "Your address was changed", "Your account has another e-mail address since just now.")
    }

    // MARK: Letters

    private static func passwordRecipient(_ email: String) -> String { "password:\(email.foldedASCII)" }
    private static func emailRecipient(_ email: String, of person: String) -> String {
        "email:\(person):\(email.foldedASCII)"
    }

    private func spendLetter(to email: String, _ client: AccountClient) async throws(AccountFault) -> Courier {
        guard let mail else { throw .noMail }
        do throws(AccountFault) {
            try await spend(to: email.foldedASCII, by: .mail, client)
        } catch {
            if let end = CodeEnd(error) { codeTotals.count(end, by: .mail) }
            throw error
        }
        return mail
    }

    /// Writes a letter about something that has happened. Nobody waits for it.
    private func notify(_ email: String, _ subject: String, _ text: String) {
        guard let mail, !email.isEmpty else { return }
        Task { _ = await mail.send(CarriedText(to: email, subject: subject, text + "\n")) }
    }
}
