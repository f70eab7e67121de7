/// Texts of the sizes and shapes that a server of Rooms reads.
enum Samples {
    static let touch = text(#"{"roomId":"r1","x":12.5,"y":3,"elementId":"e"}"#)

    static let longTouch = text(
        #"{"roomId":"0b5ff3de-7a24-4a0e","x":187.33332824707031,"y":1024.6666666666667,"elementId":"8f14e45f-ceea-467f"}"#
    )

    static let create = element(content: String(repeating: "A note of some length. ", count: 44).prefix(1000))
    static let createInCyrillic = element(
        content: String(repeating: "Довольно длинная заметка ", count: 40).prefix(1000))
    static let createWithEscapes = element(
        content: String(repeating: #"Line \"one\"\nand two\n"#, count: 44).prefix(1012))

    /// As many elements as fit into a hundred kilobytes.
    static let array: [UInt8] = {
        let count = 100_000 / 234
        return text("[" + (0..<count).map(arrayItem).joined(separator: ",") + "]")
    }()

    private static func arrayItem(_ index: Int) -> String {
        """
        {"id":"element-\(index)","type":"note","positionX":\(Double(index) * 1.25),"positionY":\(1000 - index),\
        "width":200,"height":150.5,"content":"The content of number \(index), as people write it",\
        "createdBy":"user-\(index % 17)","createdAt":"2025-10-10T10:00:00Z","version":\(index % 5),"locked":false}
        """
    }

    private static func element(content: Substring) -> [UInt8] {
        text(
            """
            {"roomId":"r1","type":"note","positionX":120.25,"positionY":-48,"width":200,"height":150,\
            "content":"\(content)","clientId":"c-1041"}
            """)
    }

    private static func text(_ string: String) -> [UInt8] { Array(string.utf8) }
}
