/// A kind of guest: its name, its behaviour, and the text of its note.
struct GuestKind {
    enum Habit {
        /// Goes about and carries its note.
        case wander
        /// Draws in quick strokes.
        case draw
        /// Follows users.
        case follow
    }

    let name: String
    let habit: Habit
    /// Nil for a guest that writes no note.
    let note: String?

    static let all = [
        GuestKind(name: "Bot Ada", habit: .wander, note: "Hello! I am a bot."),
        GuestKind(name: "Bot Alan", habit: .draw, note: nil),
        GuestKind(name: "Bot Grace", habit: .follow, note: nil),
        GuestKind(name: "Bot Edsger", habit: .wander, note: "Drag me somewhere else: everybody here sees it."),
        GuestKind(name: "Bot Barbara", habit: .draw, note: nil),
    ]
}
