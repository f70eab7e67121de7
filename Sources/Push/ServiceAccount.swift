import Fetch
import Identity
import Wire

/// The sender of notifications through FCM: the file of a service account, as Google's console makes it.
package struct ServiceAccount: Sendable {
    package let projectID: String
    let email: String
    let key: PrivateKey
    let tokenURL: String

    /// Nil when the file is not one of a service account with an RSA key.
    package init?(_ file: [UInt8]) {
        guard let json = try? JSONReader(file), json["type"]?.string == "service_account",
            let project = json["project_id"]?.string, Self.isProject(project),
            let email = json["client_email"]?.string, !email.isEmpty,
            let pem = json["private_key"]?.string, let key = PrivateKey(pem: Array(pem.utf8)), !key.isElliptic,
            let tokenURL = json["token_uri"]?.string, FetchURL(tokenURL) != nil
        else { return nil }
        projectID = project
        self.email = email
        self.key = key
        self.tokenURL = tokenURL
    }

    private static func isProject(_ text: String) -> Bool {
        (1...64).contains(text.utf8.count)
            && text.utf8.allSatisfy { ASCII.isDigit($0) || ASCII.isLetter($0) || "-:.".utf8.contains($0) }
    }
}
