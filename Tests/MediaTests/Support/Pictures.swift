import CSystem

/// Pictures that no camera makes, put together by hand.
enum Pictures {
    /// A JPEG with EXIF that says that it lies on its side, and that names its author and place.
    static func withExif(_ jpeg: [UInt8], orientation: UInt8) -> [UInt8] {
        let description = Array("Secret owner\0\0\0\0".utf8)
        // Little endian; the directory at 8 with three entries, its texts behind it, then that of the place.
        var tiff: [UInt8] = [0x49, 0x49, 0x2a, 0, 8, 0, 0, 0, 3, 0]
        tiff += [0x0e, 0x01, 2, 0, 16, 0, 0, 0, 50, 0, 0, 0]
        tiff += [0x12, 0x01, 3, 0, 1, 0, 0, 0, orientation, 0, 0, 0]
        tiff += [0x25, 0x88, 4, 0, 1, 0, 0, 0, 66, 0, 0, 0]
        tiff += [0, 0, 0, 0] + description
        tiff += [2, 0, 1, 0, 2, 0, 2, 0, 0, 0] + Array("N\0\0\0".utf8)
        tiff += [2, 0, 5, 0, 3, 0, 0, 0, 96, 0, 0, 0, 0, 0, 0, 0]
        for value: UInt8 in [52, 31, 12] { tiff += [value, 0, 0, 0, 1, 0, 0, 0] }
        let content = Array("Exif\0\0".utf8) + tiff
        let size = content.count + 2
        let segment = [0xff, 0xe1, UInt8(size >> 8), UInt8(size & 0xff)] + content
        return Array(jpeg.prefix(2)) + segment + jpeg.dropFirst(2)
    }

    /// A grey PNG of one colour, whatever its size: a few bytes for each thousand.
    static func png(width: Int, height: Int, data: [UInt8]? = nil, extra: [UInt8] = []) -> [UInt8] {
        var header: [UInt8] = []
        for value in [width, height] {
            header += [UInt8(value >> 24 & 255), UInt8(value >> 16 & 255), UInt8(value >> 8 & 255), UInt8(value & 255)]
        }
        header += [8, 0, 0, 0, 0]
        let content = data ?? deflate([UInt8](repeating: 0, count: (width + 1) * height))
        return [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a] + chunk("IHDR", header) + extra
            + chunk("IDAT", content) + chunk("IEND", [])
    }

    static func chunk(_ name: String, _ content: [UInt8]) -> [UInt8] {
        let body = Array(name.utf8) + content
        let sum = crc32(0, body, UInt32(body.count))
        return bigEndian(content.count) + body + bigEndian(Int(sum))
    }

    private static func bigEndian(_ value: Int) -> [UInt8] {
        [UInt8(value >> 24 & 255), UInt8(value >> 16 & 255), UInt8(value >> 8 & 255), UInt8(value & 255)]
    }

    static func deflate(_ bytes: [UInt8]) -> [UInt8] {
        var count = compressBound(UInt(bytes.count))
        var output = [UInt8](repeating: 0, count: Int(count))
        compress2(&output, &count, bytes, UInt(bytes.count), 1)
        return Array(output.prefix(Int(count)))
    }
}
