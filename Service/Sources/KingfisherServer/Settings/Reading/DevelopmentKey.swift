import Foundation
import Glibc
import KingfisherService

/// The signing key of a development server, in a file of the cache folder.
struct DevelopmentKey {
    let file: URL

    init(folder: URL) { file = folder.appending(path: "development-key", directoryHint: .notDirectory) }

    /// The stored key; a new one if there is none, which is stored unless the caller only wants to know
    /// whether the settings are valid.
    func key(stores: Bool) throws(SettingReason) -> SigningKey {
        if let key = try stored() { return key }
        var generator = SystemRandomNumberGenerator()
        let bytes = (0..<32).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
        guard let key = SigningKey(bytes) else { throw SettingReason("The key has a wrong length.") }
        guard stores else { return key }
        try store(HexText.text(bytes) + "\n")
        // Another process may have stored its key first.
        guard let key = try stored() else {
            throw SettingReason("\(SettingText.path(file)) cannot be read.")
        }
        return key
    }

    private func stored() throws(SettingReason) -> SigningKey? {
        // Of a link itself.
        guard let status = try? FileManager.default.attributesOfItem(atPath: file.path) else { return nil }
        do throws(SettingReason) {
            guard status[.type] as? FileAttributeType == .typeRegular,
                status[.ownerAccountID] as? Int == Int(geteuid())
            else {
                throw SettingReason("It is not a file of this user.")
            }
            var warnings: [String] = []
            return try SettingValue(text: file.path).signingKeys(&warnings).first
        } catch {
            throw SettingReason(
                "The key in \(SettingText.path(file)) is not usable; remove it to get a new one. \(error.text)"
            )
        }
    }

    /// A link to a complete file, so that no process reads a part, and an existing key stays.
    private func store(_ text: String) throws(SettingReason) {
        let folder = file.deletingLastPathComponent()
        let temporary = folder.appending(path: ".development-key.\(UUID().uuidString)").path
        do {
            try FileManager.default.createDirectory(
                at: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        } catch {
            throw SettingReason("\(SettingText.path(folder)) cannot be made.")
        }
        let descriptor = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else {
            throw SettingReason("\(SettingText.path(folder)) cannot be written.")
        }
        defer { unlink(temporary) }
        let handle = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
        do {
            try handle.write(contentsOf: Data(text.utf8))
        } catch {
            throw SettingReason("\(SettingText.path(folder)) cannot be written.")
        }
        guard link(temporary, file.path) == 0 || errno == EEXIST else {
            throw SettingReason("\(SettingText.path(file)) cannot be made.")
        }
    }
}
