// In release builds, the members of `stat` are found in this module only.
import CDispatch
import Foundation
import Glibc
import Kingfisher
import KingfisherService

extension SettingValue {
    /// The path, absolute.
    var url: URL { URL(filePath: text, relativeTo: folder).standardizedFileURL }

    /// A regular file that can be read.
    func readableFile() throws(SettingReason) -> URL {
        let url = url
        guard access(url.path, R_OK) == 0, Self.mode(of: url).map({ $0 & S_IFMT == S_IFREG }) == true else {
            throw SettingReason("\(SettingText.path(url)) is not a file that can be read.")
        }
        return url
    }

    /// A folder that can be read.
    func readableFolder() throws(SettingReason) -> URL {
        let url = URL(filePath: text, directoryHint: .isDirectory, relativeTo: folder).standardizedFileURL
        guard access(url.path, R_OK | X_OK) == 0, Self.mode(of: url).map({ $0 & S_IFMT == S_IFDIR }) == true
        else { throw SettingReason("\(SettingText.path(url)) is not a folder that can be read.") }
        return url
    }

    /// A program.
    func program() throws(SettingReason) -> String {
        let path = url.path
        guard access(path, X_OK) == 0, Self.mode(of: url).map({ $0 & S_IFMT == S_IFREG }) == true else {
            throw SettingReason("\(SettingText.path(url)) is not a program.")
        }
        return path
    }

    private static func mode(of url: URL) -> mode_t? {
        var status = stat()
        return stat(url.path, &status) == 0 ? status.st_mode : nil
    }

    /// The lines of a file with secrets, without empty ones and comments.
    func secretLines(_ warnings: inout [String]) throws(SettingReason) -> [String] {
        try secret(&warnings).split(whereSeparator: \.isNewline).map(\.trimmedSpaces)
            .filter { !$0.isEmpty && !$0.hasPrefix("#") }
    }

    /// The text of a file with secrets.
    ///
    /// Messages contain neither its text nor its path, because a value may be the secret itself.
    func secret(_ warnings: inout [String]) throws(SettingReason) -> String {
        let file = open(url.path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard file >= 0 else {
            let problem =
                errno == ENOENT || errno == ENOTDIR ? "is no such file" : "is a file that cannot be read"
            let start =
                text.hasPrefix("/") ? "" : " Relative paths start in \(SettingText.path(folder))."
            throw SettingReason("There \(problem).\(start)")
        }
        let handle = FileHandle(fileDescriptor: file, closeOnDealloc: true)
        try checkAccess(file, &warnings)
        let limit = 64 << 10
        guard let data = try? handle.read(upToCount: limit + 1) ?? Data(), data.count <= limit,
            let text = String(data: data, encoding: .utf8)
        else { throw SettingReason("The file is not text of at most 64 KiB.") }
        return text
    }

    /// A file that others may write is an error, because they could replace the keys. A file that every user
    /// may read is a warning: this is how containers mount secrets.
    private func checkAccess(_ file: Int32, _ warnings: inout [String]) throws(SettingReason) {
        var status = stat()
        guard fstat(file, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            throw SettingReason("The path is not a file.")
        }
        guard status.st_mode & (S_IWGRP | S_IWOTH) == 0 else {
            throw SettingReason("Other users may write the file; run chmod go-w.")
        }
        if status.st_mode & S_IROTH != 0 {
            warnings.append("Every user may read the file; run chmod o-r.")
        }
    }
}

/// Hexadecimal text of keys.
enum HexText {
    static func bytes(_ text: some StringProtocol) -> [UInt8]? {
        let digits = Array(text.utf8)
        guard digits.count.isMultiple(of: 2), !digits.isEmpty else { return nil }
        var bytes: [UInt8] = []
        for index in stride(from: 0, to: digits.count, by: 2) {
            guard let high = digit(digits[index]), let low = digit(digits[index + 1]) else { return nil }
            bytes.append(high << 4 | low)
        }
        return bytes
    }

    static func text(_ bytes: [UInt8]) -> String {
        let digits = Array("0123456789abcdef")
        return bytes.reduce(into: "") { text, byte in
            text.append(digits[Int(byte >> 4)])
            text.append(digits[Int(byte & 15)])
        }
    }

    private static func digit(_ byte: UInt8) -> UInt8? {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
        default: nil
        }
    }
}
