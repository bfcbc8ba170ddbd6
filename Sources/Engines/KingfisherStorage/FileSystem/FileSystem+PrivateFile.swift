package import Foundation
import Glibc

extension FileSystem {
    /// Writes a file that only this user may access (mode 0600), by a temporary file and a rename.
    ///
    /// Readers see the old file or the new one, never a part. Missing folders are made with mode 0700; a
    /// folder of another user to which others may write is refused. A link in place of the file is replaced,
    /// not followed. After a failure the temporary file is removed.
    package func replacePrivateFile(
        _ name: String, in folder: String, with bytes: Data
    ) throws(SystemError) {
        let temporary = "\(name).\(String(UInt64.random(in: .min ... .max), radix: 16))"
        let opened = try openOrMake(folder)
        let file = try create(temporary, in: opened.raw)
        do {
            try write(bytes, to: file)
            let written = try status(of: file)
            try close(file)
            try rename(temporary, in: opened.raw, to: name, in: opened.raw)
            try confirm(written, isNamed: name, in: opened.raw)
        } catch {
            try? unlink(temporary, in: opened.raw)
            throw error
        }
    }

    private func openOrMake(_ folder: String) throws(SystemError) -> FileDescriptor {
        do {
            return try openCacheFolder(folder)
        } catch {
            guard error.code == ENOENT else { throw error }
            try makeFolders(folder, mode: 0o700)
            return try openCacheFolder(folder)
        }
    }

    /// The absolute path of a file without links, "." and ".."; nil if there is no such file, or if the path
    /// is not UTF-8.
    package func resolvedPath(_ path: UnsafePointer<CChar>) -> String? {
        (try? resolve(path)) ?? nil
    }

    func write(_ bytes: Data, to file: borrowing FileDescriptor) throws(SystemError) {
        var failure: SystemError?
        bytes.withUnsafeBytes { bytes in
            do throws(SystemError) {
                try write(bytes, to: file)
            } catch {
                failure = error
            }
        }
        if let failure { throw failure }
    }
}
