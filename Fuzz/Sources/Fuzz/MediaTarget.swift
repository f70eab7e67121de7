import Media

/// The first byte chooses what the rest is read as. Promised: no input traps; what was cleaned is clean, so that
/// cleaning it again changes neither a byte nor its length; and no file grows by more than its new headers.
func fuzzMedia(_ input: UnsafeRawBufferPointer) {
    guard let choice = input.first else { return }
    let bytes = Array(input.dropFirst())
    _ = MediaFormat(beginning: bytes.span)
    let formats: [MediaFormat] = [.wav, .mp3, .aac, .ogg, .m4a]
    guard let clean = try? CleanAudio(bytes, format: formats[Int(choice) % formats.count]) else { return }
    precondition(clean.duration > 0 && clean.bytes.count <= bytes.count + 128, "A file has grown.")
    guard let again = try? CleanAudio(clean.bytes, format: clean.format) else {
        preconditionFailure("What was cleaned cannot be read.")
    }
    precondition(again == clean, "Cleaning twice is not cleaning once.")
}
