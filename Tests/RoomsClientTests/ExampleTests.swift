import Testing

@testable import RoomsClient

/// `Telling` is that of the example, by a link in this folder: an event that it does not know is an error of the compiler.
@Suite("The example for the terminal")
struct ExampleTests {
    @Test("tells events in words")
    func words() {
        let events: [(RoomsEvent, String)] = [
            (.participantLeft(room: "lobby", userID: "ada"), "ada left"),
            (.touchMoved(room: "lobby", userID: "ada", Touch(x: 1, y: 2.5)), "ada is at 1.0, 2.5"),
            (.caretMoved(room: "lobby", userID: "ada", Caret(elementID: "e", position: 1)), "ada is writing"),
            (.caretMoved(room: "lobby", userID: "ada", nil), "ada writes no more"),
            (.recordingStopped(room: "lobby", recordingID: "r", reason: "asked"), "the room is not recorded any more"),
        ]
        for (event, line) in events { #expect(Telling.line(event) == line) }
    }
}
