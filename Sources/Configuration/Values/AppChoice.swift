/// The applications whose interfaces a server may have beside its own.
package enum AppChoice: String, CaseIterable, Sendable {
    case all
    /// People, and messages to them: docs/apps/subspace.md.
    case subspace
    /// Profiles, and what is connected to them: docs/apps/interspace.md.
    case interspace
    /// Moods of people who sign in with a telephone number: docs/apps/soul.md.
    case soul
    /// Stories, and phones that stay in step with them: docs/apps/muejam.md.
    case muejam
}
