package import Foundation

/// The absolute path of a local file as bytes, because names on Linux need not be UTF-8.
package struct LocalFilePath: Hashable, Sendable {
    /// As in the URL: the system follows a link before it applies "..".
    let bytes: [UInt8]

    /// The path of a file URL. Nil for other URLs, for other hosts unless they are ignored, and for a path
    /// with a zero byte.
    package init?(_ url: URL, ignoresHost: Bool = false) {
        if let plain = Self.plainPath(of: url.absoluteString) {
            bytes = plain
            return
        }
        let url = url.absoluteURL
        guard url.isFileURL, ignoresHost || ["", "localhost"].contains(url.host()?.lowercased() ?? "") else {
            return nil
        }
        let bytes = url.path(percentEncoded: true).utf8.percentDecoded
        guard bytes.first == UInt8(ascii: "/"), !bytes.contains(0) else { return nil }
        self.bytes = bytes
    }

    /// The path of a `file:///` URL without escapes, query and fragment; nil for any other. Each request for
    /// a local file needs the path, and Foundation's parts of a URL take a microsecond.
    private static func plainPath(of text: String) -> [UInt8]? {
        var text = text
        return text.withUTF8 { bytes in
            let isPlain = bytes.allSatisfy {
                $0 != UInt8(ascii: "%") && $0 != UInt8(ascii: "?") && $0 != UInt8(ascii: "#")
            }
            return isPlain && bytes.starts(with: "file:///".utf8) ? Array(bytes.dropFirst(7)) : nil
        }
    }

    /// An absolute path without a zero byte.
    init(path: String) {
        bytes = Array(path.utf8)
    }

    /// The path without ".", ".." and repeated slashes; links are not followed.
    private var normalized: [UInt8] {
        var names: [ArraySlice<UInt8>] = []
        for name in bytes.split(separator: UInt8(ascii: "/")) {
            switch name {
            case [UInt8(ascii: ".")]: continue
            case [UInt8(ascii: "."), UInt8(ascii: ".")]: _ = names.popLast()
            default: names.append(name)
            }
        }
        return names.isEmpty ? [UInt8(ascii: "/")] : names.flatMap { [UInt8(ascii: "/")] + $0 }
    }

    /// The file's URI with the spelling of GLib's `g_filename_to_uri`, which other programs hash.
    var uri: String {
        let allowed = Set("!$&'()*+,-./:=@_~".utf8)
        let digits = Array("0123456789ABCDEF".utf8)
        let path = normalized.flatMap { byte -> [UInt8] in
            switch byte {
            case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "a")...UInt8(ascii: "z"):
                [byte]
            case _ where allowed.contains(byte): [byte]
            default: [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
            }
        }
        return "file://" + String(decoding: path, as: UTF8.self)
    }

    /// Calls `body` with the path as system calls take it.
    func withCString<Value>(_ body: (UnsafePointer<CChar>) -> Value) -> Value {
        body(bytes.map { CChar(truncatingIfNeeded: $0) } + [0])
    }
}
