import Testing
import Transport

@testable import Identity
@testable import Relay
@testable import Sessions

@Suite struct AdmissionTests {
    @Test func aClientThatIsSentAwayForItsWarningIsNotLookedAtAgain() throws {
        let server = try RelayServer { $0.expiryGraceMilliseconds = 1 }
        let client = try server.client("ada")
        let hasTimer = try server.onShard { relay in
            guard let client = relay.edge.clients.values.first, let session = client.session as? EngineSession else {
                return true
            }
            let socket = client.socket
            // As much as may wait for a client, so that the next event is too much.
            while session.isOpen, session.outbox.count < session.configuration.outboundPacketsMax {
                socket.emit("x", [])
            }
            let token = VerifiedToken(
                subject: "ada", name: nil, email: nil, expiresAt: relay.edge.loop.unixSeconds, claims: Array("{}".utf8)
            )
            let admission = Admission(token, client.admission.wishes)
            relay.edge.admissions.watch(admission, socket)
            return session.isOpen || admission.timer != nil
        }
        #expect(!hasTimer)
        #expect(try eventually { try server.onShard { $0.edge.clients.isEmpty } })
        withExtendedLifetime(client) {}
    }
}
