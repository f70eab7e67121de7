import Carriers
import Store

/// What people do with their e-mail addresses: a code that was sent to an address shows that it is the person's own.
extension Accounts {
    // MARK: A new password

    /// Sends a code with which whoever reads the letters of an address sets a new password. The answer is the same for an
    /// address without an account: the letter is written after it.
    package func sendPasswordCode(to email: String, _ client: AccountClient) async throws(AccountFault) {
        let recipient = CodeRecipient.newPassword(email: email.foldedASCII)
        let courier = try await courier(to: email, client)
        Task {
            await counted { () async throws(AccountFault) in
                let known = try await store.told { $0.credentials(email: email, then: $1) }
                // An address without an account gets a code that nobody reads: it is stored, and later tried, like others.
                let code = try await keepCode(for: recipient, client)
                guard let known else { return false }
                let text = """
                    Somebody asked for a new password for your account. If it was you, this is the code for it:

                    \(code)

                    It can be used for \(limits.codeSecondsMax / 60) minutes. If it was not you, do nothing: your
                    password stays as it is.
                    """
                let letter = CarriedText(to: known.person.email, subject: "Your code for a new password", text)
                try await send(letter, by: courier)
                return true
            }
        }
    }

    /// Sets a new password for whoever got the code, ends all sessions of the person, and begins one.
    package func resetPassword(
        email: String, code: String, _ password: String, _ client: AccountClient
    ) async throws(AccountFault) -> SignIn {
        let recipient = CodeRecipient.newPassword(email: email.foldedASCII)
        let hash = try await use(code, of: recipient, client) { () async throws(AccountFault) in
            try await hasher.hash(password)
        }
        guard let known = try await store.told({ $0.credentials(email: email, then: $1) }) else { throw .wrongCode }
        let id = known.person.id
        let ended = try await store.told {
            $0.resetPassword(hash, of: id, showing: email, at: client.now, then: $1)
        }
        guard let person = try await store.told({ $0.person(id, then: $1) }) else { throw .wrongCode }
        await tellOfNewPassword(person, ended, client)
        try? await remember(client, of: id)
        return try await beginSession(of: person, client, password: hash)
    }

    /// Changes the password of somebody who knows it, and ends all other sessions of the person.
    package func changePassword(
        of person: AccountHolder, session: String, from old: String, to new: String, _ client: AccountClient
    ) async throws(AccountFault) {
        let checked = try await check(old, of: person, client)
        let hash = try await hasher.hash(new)
        let ended = try await store.told {
            $0.changePassword(hash, of: person.id, insteadOf: checked, keeping: session, at: client.now, then: $1)
        }
        await tellOfNewPassword(person, ended, client)
    }

    private func tellOfNewPassword(_ person: AccountHolder, _ ended: [String], _ client: AccountClient) async {
        for id in ended { tell(EndedSession(id: id, person: person.id)) }
        let passkeys = (try? await store.told { $0.passkeys(of: person.id, then: $1) }) ?? []
        let wallets = ((try? await store.told { $0.wallets(of: person.id, then: $1) }) ?? []).filter(\.signsIn)
        let kept =
            (passkeys.isEmpty ? "" : " Your passkeys can still be used: \(passkeys.count).")
            + (wallets.isEmpty ? "" : " Your wallets can still sign in: \(wallets.count).")
        await tell(
            person, "Your password was changed",
            "The password of your account was changed. All other sessions were ended.\(kept) The client was: \(client.agent)",
            client.now)
    }

    /// The hash of a person's password. Throws `wrongCredentials` when it is not that of this password, and `noPassword` when
    /// the person has none.
    func check(
        _ password: String, of person: AccountHolder, _ client: AccountClient
    ) async throws(AccountFault) -> String {
        // The address may have changed, and belong to another person, since the request began.
        guard let person = try await store.told({ $0.person(person.id, then: $1) }), !person.email.isEmpty,
            let known = try await store.told({ $0.credentials(email: person.email, then: $1) }),
            known.person.id.utf8.elementsEqual(person.id.utf8), let hash = known.passwordHash
        else { throw .noPassword }
        try await countAttempt(with: person.email, of: person.id, client)
        guard try await hasher.matches(password, hash) else { throw .wrongCredentials }
        try await remember(client, of: person.id)
        return hash
    }

    // MARK: An address

    /// Sends a code to an address that a person says to be its own: the one that it has, or a new one. A new one needs the
    /// password; a person who has neither a password nor a verified address must have signed in just now.
    package func sendEmailCode(
        to email: String, of person: AccountHolder, session: String, password: String?, _ client: AccountClient
    ) async throws(AccountFault) {
        guard mail != nil else { throw .noMail }
        if email.foldedASCII != person.email.foldedASCII {
            let proof = try await prove(person, session: session, password: password, client)
            if proof.password == nil, person.emailVerifiedAt != nil { throw .noPassword }
        }
        let recipient = CodeRecipient.address(email.foldedASCII, of: person.id)
        let courier = try await courier(to: email, client)
        Task {
            await counted { () async throws(AccountFault) in
                // The sender of the request must not learn whose address it is, nor by the time of later answers.
                let owner = try await store.told { $0.credentials(email: email, then: $1) }?.person
                let code = try await keepCode(for: recipient, client)
                if let owner, owner.id != person.id {
                    guard owner.emailVerifiedAt != nil else { return false }
                    let text = """
                        Somebody wants to use this address for another account. It belongs to your account, so nothing
                        was changed.
                        """
                    try await send(CarriedText(to: owner.email, subject: "Your address", text), by: courier)
                    return false
                }
                let text = """
                    With this code you show that this address is yours:

                    \(code)

                    It can be used for \(limits.codeSecondsMax / 60) minutes. If you did not ask for it, do nothing.
                    """
                try await send(CarriedText(to: email, subject: "Your code for this address", text), by: courier)
                return true
            }
        }
    }

    /// Shows that the sender is the person, and not somebody who has its token for a moment and would have the account for
    /// good: by the password; a person without one must have signed in just now.
    @discardableResult
    package func prove(
        _ person: AccountHolder, session: String, password: String?, _ client: AccountClient
    ) async throws(AccountFault) -> PersonProof {
        do throws(AccountFault) {
            return PersonProof(password: try await check(password ?? "", of: person, client), session: session)
        } catch {
            guard error == .noPassword else { throw error }
        }
        guard try await isFresh(session, now: client.now) else { throw .sessionTooOld }
        return PersonProof(password: nil, session: session)
    }

    /// Whether the person of a session has signed in just now.
    func isFresh(_ session: String, now: Int64) async throws(AccountFault) -> Bool {
        let open = try await store.told { $0.session(session, at: now, then: $1) }
        return open.map { now - $0.session.createdAt <= limits.freshSessionSecondsMax } ?? false
    }

    /// Gives a person the address that the code was sent to.
    package func confirmEmail(
        _ email: String, code: String, of person: AccountHolder, _ client: AccountClient
    ) async throws(AccountFault) -> AccountHolder {
        try await use(code, of: CodeRecipient.address(email.foldedASCII, of: person.id), client) {}
        let changed = try await store.told { $0.setEmail(email, of: person.id, at: client.now, then: $1) }
        if email.foldedASCII != person.email.foldedASCII { await tellOfNewAddress(person, client.now) }
        return changed
    }

    /// Changes what is not nil, for an application. Where the server sends letters, an address is changed with a code alone:
    /// otherwise whoever has a person's token for a moment would have the account for good.
    package func change(
        _ id: String, name: String?, email: String?, now: Int64
    ) async throws(AccountFault) -> AccountHolder {
        let before = try await store.told { $0.person(id, then: $1) }
        let isNewAddress = email.map { $0.foldedASCII != before?.email.foldedASCII } ?? false
        if isNewAddress, mail != nil { throw .addressNeedsCode }
        let address = email.map { AddressChange(from: before?.email ?? "", to: $0) }
        let changed = try await store.told { $0.changePerson(id, name: name, email: address, at: now, then: $1) }
        if isNewAddress, let before { await tellOfNewAddress(before, now) }
        return changed
    }

    private func tellOfNewAddress(_ person: AccountHolder, _ now: Int64) async {
        await tell(person, "Your address was changed", "The e-mail address of your account was changed.", now)
    }

    // MARK: Letters

    /// Counts a letter with a code against the limits, and gives who carries it.
    private func courier(to email: String, _ client: AccountClient) async throws(AccountFault) -> Courier {
        guard let mail else { throw .noMail }
        do throws(AccountFault) {
            try await spend(to: email.foldedASCII, by: .mail, client)
        } catch {
            if let end = CodeEnd(error) { codeTotals.count(end, by: .mail) }
            throw error
        }
        return mail
    }

    /// Keeps a new code, and gives its digits. Whoever has the letter can use the code, whatever the mail server still has to
    /// say.
    private func keepCode(for recipient: String, _ client: AccountClient) async throws(AccountFault) -> String {
        let code = try await newCode(for: recipient, client)
        try await store.told { $0.keepCode(code.record, then: $1) }
        return code.digits
    }

    /// Counts what becomes of a letter, for which no client waits.
    ///
    /// - Parameter send: answers whether there was one to send.
    private func counted(_ send: () async throws(AccountFault) -> Bool) async {
        do throws(AccountFault) {
            if try await send() { codeTotals.count(.sent, by: .mail) }
        } catch {
            codeTotals.count(CodeEnd(error) ?? .failed, by: .mail)
        }
    }

    /// Tells a person what has happened to the account, in a letter and in the inbox. It has happened, so nothing here is a
    /// reason to refuse it. Whoever has changed the account may end its own session at once, and the person hears of it all the same:
    /// so nothing of this is done for the session.
    func tell(_ person: AccountHolder, _ subject: String, _ text: String, _ now: Int64) async {
        await Mandate.$current.withValue(nil) {
            await notify(person, subject, text, now)
            try? await warn(person.id, text, now: now)
        }
    }

    /// Writes a letter to an address that the person has shown to be its own. Nobody waits for it.
    private func notify(_ person: AccountHolder, _ subject: String, _ text: String, _ now: Int64) async {
        guard let mail, person.emailVerifiedAt != nil else { return }
        let allowances = [
            Allowance(Self.all(.mail), most: limits.lettersMax, seconds: 3_600),
            Allowance("notices:\(person.email.foldedASCII)", most: limits.noticesPerDayMax, seconds: 86_400),
        ]
        guard (try? await store.told { $0.spend(allowances, at: now, then: $1) }) != nil else { return }
        Task { _ = await mail.send(CarriedText(to: person.email, subject: subject, text)) }
    }
}
