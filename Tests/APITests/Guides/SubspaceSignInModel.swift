import Foundation

/// What keeps the token on the device: stands in for the keychain, which Linux does not have.
final class TokenKeeper {
    private var tokens: [String: String] = [:]

    func save(_ token: String, for key: String) { tokens[key] = token }
    func get(for key: String) -> String? { tokens[key] }
    func delete(for key: String) { tokens[key] = nil }
}

/// The model of the sign-in screen of the Subspace guide, without the screen.
@MainActor
final class SubspaceSignInModel {
    private(set) var isAuthenticated = false
    private(set) var currentUser: SubspaceClient.User?
    private(set) var errorMessage: String?
    private(set) var isLoading = false

    private let client: SubspaceClient
    private let keeper: TokenKeeper
    private static let key = "jwt_token"

    init(_ client: SubspaceClient, _ keeper: TokenKeeper) {
        self.client = client
        self.keeper = keeper
    }

    /// At the start: a token that is still good signs in, another one is thrown away.
    func checkAuthStatus() async {
        guard let token = keeper.get(for: Self.key) else { return }
        do {
            currentUser = try await client.getCurrentUser(token: token)
            isAuthenticated = true
        } catch {
            keeper.delete(for: Self.key)
            isAuthenticated = false
        }
    }

    func login(email: String, password: String) async {
        await signIn { try await $0.login(email: email, password: password) }
    }

    func register(name: String, email: String, password: String) async {
        await signIn { try await $0.register(name: name, email: email, password: password) }
    }

    private func signIn(_ call: (SubspaceClient) async throws -> SubspaceClient.AuthResponse) async {
        isLoading = true
        errorMessage = nil
        do {
            let answer = try await call(client)
            keeper.save(answer.token, for: Self.key)
            currentUser = answer.user
            isAuthenticated = true
        } catch {
            errorMessage = error.localizedDescription
        }
        isLoading = false
    }

    func logout() {
        keeper.delete(for: Self.key)
        currentUser = nil
        isAuthenticated = false
    }

    /// The token is thrown away when it has ended.
    func handle(_ error: SubspaceClient.APIError) {
        switch error {
        case .statusCode(401): logout()
        case .serverError(let words) where words.contains("expired"): logout()
        default: break
        }
    }
}
