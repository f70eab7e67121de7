import Configuration
import Foundation
import Logging
import RoomsServer
import Store
import Testing
import Transport

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// The applications' guides for iOS: their clients with URLSession, at the base URLs that they print.
@Suite("The clients of the applications' guides for iOS")
struct AppGuideTests {
    /// Runs a server that has each application at the root of a listener of its own.
    private func withApps(
        _ names: [AppChoice], limited: Bool = false, isolation: isolated (any Actor)? = #isolation,
        _ body: ([String], DatabaseStore) async throws -> Void
    ) async throws {
        var configuration = ServerConfiguration()
        configuration.listen = [.tcp(.loopback, port: 0)]
        configuration.threads = 2
        configuration.apps = names.map { AppMount($0, at: .listener(.tcp(.loopback, port: 0))) }
        (configuration.passwordMemory, configuration.developerCodes) = (8 << 20, true)
        (configuration.rateLimits, configuration.logLevel) = (limited, .error)
        let store = try DatabaseStore(.memory)
        let server = try RoomsServer(configuration, Logger(configuration, environment: [:]), store: store)
        defer {
            server.stop()
            store.close()
        }
        // The guides print the name, not the address.
        try await body(server.appAddresses.map { $0.replacing("127.0.0.1", with: "localhost") }, store)
    }

    @Test func subspaceGoesFromTheRegistrationToReadMessages() async throws {
        try await withApps([.subspace]) { urls, _ in
            let client = SubspaceClient(baseURL: try #require(urls.first) + "/api/v1")
            let made = try await client.register(name: "John Doe", email: "john@example.com", password: "password123")
            #expect(made.user.name == "John Doe" && made.user.email == "john@example.com")
            #expect(abs(made.user.createdAt.timeIntervalSinceNow) < 60 && made.user.updatedAt == made.user.createdAt)
            let signedIn = try await client.login(email: "john@example.com", password: "password123")
            #expect(signedIn.user == made.user)
            let (token, id) = (signedIn.token, signedIn.user.id)
            #expect(try await client.getCurrentUser(token: token) == made.user)
            let users = try await client.getUsers(token: token)
            #expect(users.data == [made.user] && users.total == 1 && users.limit == 20 && users.offset == 0)
            #expect(try await client.getUser(id: id, token: token) == made.user)
            for kind in SubspaceClient.MessageKind.allCases {
                let sent = try await client.createMessage(userId: id, content: "\(kind)", kind: kind, token: token)
                #expect(sent.kind == kind && !sent.isRead && sent.userId == id)
            }
            let messages = try await client.getUserMessages(userId: id, limit: 3, offset: 1, token: token)
            #expect(messages.total == 4 && messages.data.count == 3 && messages.data.allSatisfy { !$0.isRead })
            try await client.markAsRead(messageId: try #require(messages.data.first).id, token: token)
            #expect(try await client.getUnreadCount(userId: id, token: token).count == 3)
        }
    }

    @Test func subspaceSaysTheWordsOfTheGuide() async throws {
        try await withApps([.subspace]) { urls, _ in
            let client = SubspaceClient(baseURL: try #require(urls.first) + "/api/v1")
            _ = try await client.register(name: "John", email: "john@example.com", password: "password123")
            func register(_ email: String, _ password: String) -> () async throws -> Void {
                { _ = try await client.register(name: "John", email: email, password: password) }
            }
            let refusals: [(String, () async throws -> Void)] = [
                ("invalid email format", register("john", "password123")),
                ("password must be at least 8 characters", register("joan@example.com", "short")),
                ("email already exists", register("john@example.com", "password123")),
                (
                    "invalid credentials",
                    { _ = try await client.login(email: "john@example.com", password: "password124") }
                ),
                ("invalid token", { _ = try await client.getCurrentUser(token: "nonsense") }),
            ]
            for (words, call) in refusals {
                await #expect(throws: SubspaceClient.APIError.serverError(words)) { try await call() }
            }
        }
    }

    @Test @MainActor func subspacesSignInModelKeepsTheTokenUntilItEnds() async throws {
        try await withApps([.subspace]) { urls, _ in
            let client = SubspaceClient(baseURL: try #require(urls.first) + "/api/v1")
            let keeper = TokenKeeper()
            let model = SubspaceSignInModel(client, keeper)
            await model.checkAuthStatus()
            #expect(!model.isAuthenticated)
            await model.register(name: "John", email: "john", password: "password123")
            #expect(model.errorMessage == "invalid email format" && !model.isAuthenticated && !model.isLoading)
            await model.register(name: "John", email: "john@example.com", password: "password123")
            #expect(
                model.errorMessage == nil && model.currentUser?.email == "john@example.com" && model.isAuthenticated)
            // The application starts again.
            let next = SubspaceSignInModel(client, keeper)
            await next.checkAuthStatus()
            #expect(next.isAuthenticated && next.currentUser == model.currentUser)
            next.logout()
            await next.login(email: "john@example.com", password: "password123")
            #expect(next.isAuthenticated && keeper.get(for: "jwt_token") != nil)
            next.handle(.serverError("token has expired"))
            #expect(!next.isAuthenticated && keeper.get(for: "jwt_token") == nil)
            keeper.save("nonsense", for: "jwt_token")
            await next.checkAuthStatus()
            #expect(!next.isAuthenticated && keeper.get(for: "jwt_token") == nil)
        }
    }

    @Test func interspaceHasProfilesAndWhatIsConnectedToThem() async throws {
        try await withApps([.interspace, .subspace]) { urls, _ in
            let subspace = SubspaceClient(baseURL: try #require(urls.last) + "/api/v1")
            _ = try await subspace.register(name: "John", email: "user@example.com", password: "secure_password")
            var client = InterspaceClient(baseURL: try #require(urls.first) + "/api/v1")
            let login = ["email": "user@example.com", "password": "secure_password"]
            let signIn: InterspaceClient.SignIn = try await client.call("POST", "/auth/login", login)
            #expect(signIn.user.email == "user@example.com" && signIn.user.profiles.isEmpty)
            let tokens: InterspaceClient.Tokens = try await client.call(
                "POST", "/auth/refresh", ["refreshToken": signIn.refreshToken])
            client.accessToken = tokens.accessToken

            let new = [
                "username": "johndoe", "displayName": "John Doe", "bio": "Digital", "avatar": "https://a.example/b",
            ]
            let profile: InterspaceClient.Profile = try await client.call("POST", "/profiles", new)
            #expect(profile.isDefault && profile.bio == "Digital" && profile.socialAccounts.isEmpty)
            struct Change: Encodable {
                let displayName: String
                let settings: [String: String]
            }
            let change = Change(displayName: "Updated Name", settings: ["privacy": "public"])
            let changed: InterspaceClient.Profile = try await client.call("PATCH", "/profiles/\(profile.id)", change)
            #expect(changed.displayName == "Updated Name" && changed.settings.privacy == "public")
            let link = ["platform": "twitter", "accountId": "1", "username": "@johndoe", "accessToken": "t"]
            let path = "/profiles/\(profile.id)"
            let linked: InterspaceClient.SocialAccount = try await client.call("POST", path + "/social-accounts", link)
            let accounts: InterspaceClient.SocialAccounts = try await client.call("GET", path + "/social-accounts")
            #expect(accounts.accounts.map(\.id) == [linked.id] && linked.platform == .twitter)
            let apps: InterspaceClient.Apps = try await client.call("GET", path + "/apps")
            #expect(apps.apps.isEmpty)
            let listed: InterspaceClient.Profiles = try await client.call("GET", "/profiles?page=1&limit=20")
            #expect(listed.profiles.map(\.socialAccounts.count) == [1])
            try await client.answer("DELETE", path + "/social-accounts/\(linked.id)")
            try await client.answer("DELETE", path)
            let me: InterspaceClient.User = try await client.call("GET", "/users/me")
            #expect(me.profiles.isEmpty && me.settings == .init(notifications: true, theme: "system"))
            try await client.answer("POST", "/auth/logout", ["refreshToken": tokens.refreshToken])
            await #expect(throws: InterspaceClient.APIError.unauthorized) {
                try await client.answer("GET", "/users/me")
            }
        }
    }

    @Test func interspaceShowsWalletsAndAnswersSeveralRequestsAtOnce() async throws {
        try await withApps([.interspace, .subspace]) { urls, store in
            let subspace = SubspaceClient(baseURL: try #require(urls.last) + "/api/v1")
            let made = try await subspace.register(name: "J", email: "user@example.com", password: "secure_password")
            // Without the signature that connects it over HTTP: `test_wallets.py` has wallets that sign.
            let wallet = Store.Wallet(
                id: "w", person: made.user.id, address: "0x" + String(repeating: "1", count: 40), kind: "metamask",
                createdAt: 10, usedAt: 10)
            _ = try await withCheckedThrowingContinuation { continuation in
                store.connectWallet(wallet, showing: nil) { continuation.resume(with: $0) }
            }
            let client = InterspaceClient(baseURL: try #require(urls.first) + "/api/v1", accessToken: made.token)
            let listed: InterspaceClient.Wallets = try await client.call("GET", "/wallets")
            #expect(
                listed.wallets == [
                    .init(
                        id: "w", address: wallet.address, type: .metamask, isPrimary: true, balance: nil,
                        chain: .ethereum)
                ])
            let batch = InterspaceClient.BatchRequest(requests: [
                .init(method: "GET", path: "/profiles?page=1&limit=20"), .init(method: "DELETE", path: "/wallets/w"),
                .init(method: "GET", path: "/profiles/none"),
            ])
            let answers: InterspaceClient.BatchResponse = try await client.call("POST", "/batch", batch)
            #expect(answers.responses.map(\.status) == [200, 204, 404])
        }
    }

    @Test func interspacesAnswersAreKeptWhileTheyAreTheSame() async throws {
        try await withApps([.interspace, .subspace]) { urls, _ in
            let subspace = SubspaceClient(baseURL: try #require(urls.last) + "/api/v1")
            let made = try await subspace.register(name: "J", email: "user@example.com", password: "secure_password")
            let client = InterspaceClient(baseURL: try #require(urls.first) + "/api/v1", accessToken: made.token)
            let (_, response) = try await client.answer("GET", "/profiles")
            let tag = try #require(response.value(forHTTPHeaderField: "ETag"))
            #expect(try await client.answer("GET", "/profiles", known: tag).1.statusCode == 304)
            struct Bad: Encodable {
                let username = "a"
                let displayName = "A"
            }
            let error = await #expect(throws: InterspaceClient.APIError.self) {
                try await client.answer("POST", "/profiles", Bad())
            }
            guard case .validationError? = error else { return #expect(error == .validationError("")) }
            await #expect(throws: InterspaceClient.APIError.notFound) {
                try await client.answer("GET", "/profiles/none")
            }
        }
    }

    @Test func interspacesClientWaitsAsLongAsTheServerSays() async throws {
        try await withApps([.interspace], limited: true) { urls, _ in
            let client = InterspaceClient(baseURL: try #require(urls.first) + "/api/v1")
            let login = ["email": "nobody@example.com", "password": "wrong password"]
            var refusal: InterspaceClient.APIError?
            for _ in 0..<30 where refusal == nil || refusal == .unauthorized {
                refusal = await #expect(throws: InterspaceClient.APIError.self) {
                    try await client.answer("POST", "/auth/login", login)
                }
            }
            guard case .rateLimited(let seconds)? = refusal else {
                return #expect(refusal == .rateLimited(retryAfter: 60))
            }
            #expect((1...60).contains(seconds))
        }
    }

    @Test func soulSignsInWithACodeAndRefreshesOnce() async throws {
        try await withApps([.soul]) { urls, _ in
            let client = SoulClient(baseURL: try #require(urls.first))
            let asked = try await client.requestOTP("+14155550123")
            #expect(asked.status == "ok" && asked.previewCode == "123456")
            await #expect(throws: SoulClient.Failure.refused(400, "Invalid OTP")) {
                _ = try await client.verifyOTP("+14155550123", "654321")
            }
            let signIn = try await client.verifyOTP("+14155550123", "123456")
            #expect(
                signIn.tokenType == "bearer" && signIn.user.email == "+14155550123@example.com" && signIn.user.id > 0)
            #expect(try await client.noteMood(7).scale == 7)
            await client.spoilAccess()
            #expect(try await client.moods().moods.map(\.scale) == [7])
            #expect(await client.refreshCount == 1)
            #expect(try await client.logout().status == "ok")
            await client.spoilAccess()
            await #expect(throws: SoulClient.Failure.sessionExpired) { _ = try await client.moods() }
        }
    }
}
