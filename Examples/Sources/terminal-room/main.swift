import Glibc
import RoomsClient

let arguments = CommandLine.arguments.dropFirst()
let room = arguments.first ?? "lobby"
let name = arguments.dropFirst().first ?? "somebody"
let url = arguments.dropFirst(2).first ?? "http://127.0.0.1:8080"

do {
    let client = try RoomsClient(url, token: name)
    // Before anything can happen, so that nothing is missed.
    let events = client.events()
    try await client.connect()
    try await client.join(room)
    if isatty(STDIN_FILENO) == 1, isatty(STDOUT_FILENO) == 1 {
        await Visit(client, room).run(events)
    } else {
        for await event in events { print(Telling.line(event)) }
    }
    await client.close()
} catch {
    print("\(url): \(error)")
    exit(1)
}
