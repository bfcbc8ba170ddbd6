/// Overwrites unwanted properties of an XMP packet with spaces, in place.
///
/// A property is an attribute or an element (ISO 16684-1, section 7).
struct XMPEraser {
    private(set) var bytes: [UInt8]
    private(set) var hasErased = false
    private var offset = 0
    private let isUnwanted: (ArraySlice<UInt8>) -> Bool

    /// The packet without the properties whose names are unwanted. Throws `unsupported` for another encoding
    /// than UTF-8.
    static func erased(
        _ packet: [UInt8], where isUnwanted: @escaping (ArraySlice<UInt8>) -> Bool
    ) throws(ImageCodecError) -> XMPEraser {
        if let end = packet.lastIndex(of: UInt8(ascii: ">")), packet[..<end].contains(0) {
            throw .unsupported("an XMP packet that is not UTF-8")
        }
        var eraser = XMPEraser(packet, isUnwanted)
        eraser.run()
        return eraser
    }

    private init(_ bytes: [UInt8], _ isUnwanted: @escaping (ArraySlice<UInt8>) -> Bool) {
        self.bytes = bytes
        self.isUnwanted = isUnwanted
    }

    /// Whether a property of this name holds a part of a position.
    ///
    /// Names are compared without their prefixes, because packets may choose these, and because makers of
    /// drones have their own properties.
    static func isLocation(_ name: ArraySlice<UInt8>) -> Bool {
        let local = name.lastIndex(of: UInt8(ascii: ":")).map { name[($0 + 1)...] } ?? name
        let text = String(decoding: local, as: UTF8.self).lowercased()
        return text.hasPrefix("gps") || ["lat", "long", "lng"].contains(text)
            || ["latitude", "longitude", "altitude"].contains { text.contains($0) }
    }

    /// Whether a property of this name refers to another part of its file: to a second packet, a gain map or
    /// a video.
    static func isReference(_ name: ArraySlice<UInt8>) -> Bool {
        let text = String(decoding: name, as: UTF8.self)
        return ["hdrgm:", "HDRGainMap:", "GCamera:MotionPhoto", "GCamera:MicroVideo"].contains {
            text.hasPrefix($0)
        } || ["Container:Directory", "xmpNote:HasExtendedXMP"].contains(text)
    }

    private mutating func run() {
        while let start = find(UInt8(ascii: "<"), from: offset) {
            offset = start + 1
            guard let next = byte(offset) else { return }
            if next == UInt8(ascii: "?") || next == UInt8(ascii: "!") || next == UInt8(ascii: "/") {
                offset = find(UInt8(ascii: ">"), from: offset).map { $0 + 1 } ?? bytes.count
                continue
            }
            let name = name(from: offset)
            if isUnwanted(bytes[name]) {
                erase(start, end(ofElement: Array(bytes[name]), from: name.upperBound))
            } else {
                offset = name.upperBound
                eraseAttributes()
            }
        }
    }

    /// Reads the attributes up to the end of the tag.
    private mutating func eraseAttributes() {
        while let next = byte(offset), next != UInt8(ascii: ">") {
            if Self.isSpace(next) || next == UInt8(ascii: "/") {
                offset += 1
                continue
            }
            let name = name(from: offset)
            guard !name.isEmpty else {
                offset += 1
                continue
            }
            let start = offset
            offset = valueEnd(from: name.upperBound)
            if isUnwanted(bytes[name]) { erase(start, offset) }
        }
    }

    /// The offset after the quoted value of an attribute whose name ends at `start`.
    private func valueEnd(from start: Int) -> Int {
        var place = start
        while let next = byte(place), Self.isSpace(next) { place += 1 }
        guard byte(place) == UInt8(ascii: "=") else { return place }
        place += 1
        while let next = byte(place), Self.isSpace(next) { place += 1 }
        guard let quote = byte(place), quote == UInt8(ascii: "\"") || quote == UInt8(ascii: "'") else {
            return place
        }
        return find(quote, from: place + 1).map { $0 + 1 } ?? bytes.count
    }

    /// The offset after the element whose name ends at `start`; the offset of the last byte if it has no end.
    private func end(ofElement name: [UInt8], from start: Int) -> Int {
        var place = start
        while let next = byte(place), next != UInt8(ascii: ">") {
            let isQuote = next == UInt8(ascii: "\"") || next == UInt8(ascii: "'")
            place = isQuote ? find(next, from: place + 1).map { $0 + 1 } ?? bytes.count : place + 1
        }
        if place > start, byte(place - 1) == UInt8(ascii: "/") { return min(place + 1, bytes.count) }
        let close = [UInt8(ascii: "<"), UInt8(ascii: "/")] + name
        let found = bytes.withUnsafeBytes { all in
            close.withUnsafeBytes { ByteReader(all).offset(of: ByteReader($0), from: place) }
        }
        guard let found else { return bytes.count }
        return find(UInt8(ascii: ">"), from: found).map { $0 + 1 } ?? bytes.count
    }

    private mutating func erase(_ start: Int, _ end: Int) {
        for index in start..<max(start, min(end, bytes.count)) { bytes[index] = UInt8(ascii: " ") }
        offset = max(start, end)
        hasErased = true
    }

    private func name(from start: Int) -> Range<Int> {
        var end = start
        while let next = byte(end), !Self.isSpace(next), !Self.delimiters.contains(next) { end += 1 }
        return start..<end
    }

    private static let delimiters = Array("=/<>\"'".utf8)

    private static func isSpace(_ byte: UInt8) -> Bool { [0x20, 0x09, 0x0A, 0x0D].contains(byte) }

    private func byte(_ offset: Int) -> UInt8? { offset < bytes.count ? bytes[offset] : nil }

    private func find(_ byte: UInt8, from start: Int) -> Int? {
        bytes.withUnsafeBytes { ByteReader($0).offset(of: byte, from: start) }
    }
}
