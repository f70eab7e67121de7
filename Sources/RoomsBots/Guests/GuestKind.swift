/// What a guest is called, what it does, and what it writes.
struct GuestKind {
    enum Habit {
        /// Goes about and carries its note.
        case wander
        /// Draws in quick strokes.
        case draw
        /// Goes where people go.
        case follow
    }

    let name: String
    let habit: Habit
    /// Nil for who writes nothing.
    let note: String?

    static let all = [
        GuestKind(name: "Bot Ada", habit: .wander, note: "Hello! I am a bot."),
        GuestKind(name: "Bot Alan", habit: .draw, note: nil),
        GuestKind(name: "Bot Grace", habit: .follow, note: nil),
        GuestKind(name: "Bot Edsger", habit: .wander, note: "Drag me somewhere else: everybody here sees it."),
        GuestKind(name: "Bot Barbara", habit: .draw, note: nil),
    ]
}
