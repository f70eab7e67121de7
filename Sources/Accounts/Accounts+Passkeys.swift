import CPasskeys
import Identity
import Store
import Wire

/// What a client needs to make or use a passkey.
package struct PasskeyChallenge: Sendable {
    package let text: String
    package let domain: String
    /// The person that a new passkey is for; empty for a sign-in.
    package let person: String
    /// The ids of the passkeys that the person has.
    package let known: [String]
}

/// A passkey that a client's authenticator has made.
package struct MadePasskey: Sendable {
    package let attestation: [UInt8]
    /// What the browser or the system says of it, JSON.
    package let clientData: [UInt8]
    package let name: String

    package init(attestation: [UInt8], clientData: [UInt8], name: String) {
        self.attestation = attestation
        self.clientData = clientData
        self.name = name
    }
}

/// What an authenticator has signed with a passkey.
package struct PasskeyAnswer: Sendable {
    package let id: String
    package let data: [UInt8]
    package let clientData: [UInt8]
    package let signature: [UInt8]

    package init(id: String, data: [UInt8], clientData: [UInt8], signature: [UInt8]) {
        self.id = id
        self.data = data
        self.clientData = clientData
        self.signature = signature
    }
}

/// Signing up and in with passkeys (WebAuthn). The authenticator must have verified its user, so a passkey alone is enough.
extension Accounts {
    package func challengeForSignUp(now: Int64) async throws(AccountFault) -> PasskeyChallenge {
        try await passkeyChallenge(.signUp, of: Self.newID(), now: now)
    }

    package func challengeForSignIn(now: Int64) async throws(AccountFault) -> PasskeyChallenge {
        try await passkeyChallenge(.signIn, of: "", now: now)
    }

    package func challengeForPasskey(of person: String, now: Int64) async throws(AccountFault) -> PasskeyChallenge {
        let known = try await store.told { $0.passkeys(of: person, then: $1) }.map(\.id)
        return try await passkeyChallenge(.addPasskey, of: person, known: known, now: now)
    }

    private func passkeyChallenge(
        _ purpose: Challenge.Purpose, of person: String, known: [String] = [], now: Int64
    ) async throws(AccountFault) -> PasskeyChallenge {
        PasskeyChallenge(
            text: try await newChallenge(purpose, of: person, now: now), domain: site.domain, person: person,
            known: known)
    }

    /// Makes an account with a passkey and without a password, and signs its person in. The caller has checked the name.
    package func signUp(
        name: String, with made: MadePasskey, _ client: AccountClient
    ) async throws(AccountFault) -> SignIn {
        try await countAttempt(client)
        let challenge = try await challenge(in: made.clientData, "webauthn.create", for: .signUp, now: client.now)
        let passkey = try passkey(made, of: challenge.person, now: client.now)
        try await use(challenge, now: client.now)
        let new = NewPerson(id: challenge.person, name: name, email: "", passwordHash: nil, at: client.now)
        let person = try await store.told { $0.addPerson(new, with: passkey, then: $1) }
        return try await beginSession(of: person, client)
    }

    /// Signs in the person of the passkey.
    package func signIn(with answer: PasskeyAnswer, _ client: AccountClient) async throws(AccountFault) -> SignIn {
        try await countAttempt(client)
        let challenge = try await challenge(in: answer.clientData, "webauthn.get", for: .signIn, now: client.now)
        let known = try await store.told { $0.passkey(answer.id, then: $1) }
        // The work is the same for a passkey that nobody has.
        let signatures = signatures(answer, known?.passkey ?? .nobodys)
        guard let known, let signatures else { throw .wrongPasskey }
        try await use(challenge, now: client.now)
        let isNext = try await store.told {
            $0.usePasskey(answer.id, signatures: signatures, at: client.now, then: $1)
        }
        guard isNext else {
            // It may have been removed in this moment.
            guard try await store.told({ $0.passkey(answer.id, then: $1) }) != nil else { throw .wrongPasskey }
            await tell(
                known.person, "A sign-in was refused",
                """
                A sign-in with your passkey \(known.passkey.name) was refused: its signatures do not count on, so somebody \
                may have a copy of it. Remove it if you did not sign in twice at once.
                """, client.now)
            throw .wrongPasskey
        }
        return try await beginSession(of: known.person, client, passkey: answer.id)
    }

    /// Gives a person one more passkey.
    package func addPasskey(
        _ made: MadePasskey, to person: AccountHolder, session: String, password: String?, _ client: AccountClient
    ) async throws(AccountFault) -> Passkey {
        let challenge = try await challenge(in: made.clientData, "webauthn.create", for: .addPasskey, now: client.now)
        guard challenge.person.utf8.elementsEqual(person.id.utf8) else { throw .wrongChallenge }
        let passkey = try passkey(made, of: person.id, now: client.now)
        let proof = try await prove(person, session: session, password: password, client)
        try await use(challenge, now: client.now)
        try await store.told { $0.addPasskey(passkey, showing: proof, then: $1) }
        await tell(
            person, "A new passkey",
            "A passkey was added to your account: \(made.name). The client was: \(client.agent)",
            client.now)
        return passkey
    }

    /// Removes a passkey of a person. Answers whether the person had it.
    package func removePasskey(
        _ id: String, of person: AccountHolder, _ client: AccountClient
    ) async throws(AccountFault) -> Bool {
        let known = try await store.told { $0.passkey(id, then: $1) }
        guard try await store.told({ $0.removePasskey(id, of: person.id, then: $1) }) else { return false }
        await tell(
            person, "A passkey was removed",
            """
            A passkey was removed from your account: \(known?.passkey.name ?? ""). The client was: \(client.agent)
            """, client.now)
        return true
    }

    // MARK: What authenticators say

    /// The challenge that an authenticator has signed, of a client at one of the site's origins.
    private func challenge(
        in clientData: [UInt8], _ type: String, for purpose: Challenge.Purpose, now: Int64
    ) async throws(AccountFault) -> Challenge {
        guard let json = try? JSONReader(clientData), json["type"]?.string == type, json["crossOrigin"]?.bool != true,
            let origin = json["origin"]?.string, let text = json["challenge"]?.string
        else { throw .wrongChallenge }
        guard site.allows(origin) else { throw .wrongOrigin(origin) }
        return try await challenge(text, for: purpose, now: now)
    }

    private func passkey(
        _ made: MadePasskey, of person: String, now: Int64
    ) throws(AccountFault) -> Passkey {
        var read = rooms_passkey()
        guard rooms_passkey_read(made.attestation, made.attestation.count, site.domain, &read) else {
            throw .badPasskey
        }
        let id = withUnsafeBytes(of: &read.id) { Array($0.prefix(read.id_length)) }
        let key = withUnsafeBytes(of: &read.key) { Array($0.prefix(read.key_length)) }
        return Passkey(
            id: Base64URL.text(id), person: person, name: made.name, algorithm: Int64(read.algorithm),
            publicKey: Base64URL.text(key), signatures: Int64(read.signatures), createdAt: now, usedAt: now)
    }

    /// How many signatures the authenticator has made; nil when the answer is not signed with the passkey.
    private func signatures(_ answer: PasskeyAnswer, _ passkey: Passkey) -> Int64? {
        guard let key = Base64URL.decode(Array(passkey.publicKey.utf8).span),
            let hash = SHA256Digest.of(answer.clientData)
        else { return nil }
        var signatures: UInt32 = 0
        let isSigned = site.domain.withCString { domain in
            hash.withUnsafeBufferPointer { hash in
                answer.data.withUnsafeBufferPointer { data in
                    answer.signature.withUnsafeBufferPointer { signature in
                        var signed = rooms_passkey_answer(
                            domain: domain, client_hash: hash.baseAddress, data: data.baseAddress,
                            data_length: data.count, signature: signature.baseAddress,
                            signature_length: signature.count)
                        return rooms_passkey_signed(
                            &signed, Int32(clamping: passkey.algorithm), key, key.count, &signatures)
                    }
                }
            }
        }
        return isSigned ? Int64(signatures) : nil
    }
}

extension Passkey {
    /// A passkey of P-256 with which nobody signs in. Its key is the curve's generator, which everybody knows.
    fileprivate static let nobodys = Passkey(
        id: "", person: "", name: "", algorithm: -7,
        publicKey: "axfR8uEsQkf4vOblY6RA8ncDfYEt6zOg9KE5RdiYwpZP40Li_hp_m47n60p8D54WK84zV2sxXs7LtkBoN79R9Q",
        signatures: 0, createdAt: 0, usedAt: 0)
}
