import CGIF

/// The bytes that giflib pulls.
final class GIFStream {
    private static let screen: [UInt8] = Array("GIF89a".utf8) + [1, 0, 1, 0, 0, 0, 0]

    private let file: ByteReader
    private var offset: Int
    private var screenOffset = 0

    init(_ file: ByteReader, from offset: Int) {
        self.file = file
        self.offset = offset
    }

    static let read: InputFunc = { gif, target, count in
        guard let target, count > 0, let user = gif?.pointee.UserData else { return 0 }
        return Int32(Unmanaged<GIFStream>.fromOpaque(user).takeUnretainedValue().copy(to: target, Int(count)))
    }

    private func copy(to target: UnsafeMutablePointer<UInt8>, _ count: Int) -> Int {
        var written = 0
        while written < count, screenOffset < Self.screen.count {
            target[written] = Self.screen[screenOffset]
            written += 1
            screenOffset += 1
        }
        let length = min(count - written, file.count - offset)
        guard length > 0, let source = file.bytes.baseAddress else { return written }
        UnsafeMutableRawPointer(target + written).copyMemory(from: source + offset, byteCount: length)
        offset += length
        return written + length
    }
}
