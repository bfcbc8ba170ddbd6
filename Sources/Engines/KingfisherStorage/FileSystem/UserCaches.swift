import Foundation
import Glibc

/// The folder for the caches of this user (XDG Base Directory Specification).
package enum UserCaches {
    /// `$XDG_CACHE_HOME`, or `.cache` in the home folder; nil without a home folder.
    package static var folder: String? {
        folder(in: ProcessInfo.processInfo.environment, registeredHome: registeredHome)
    }

    /// Relative paths are ignored, as the specification demands. Without `HOME`, the home folder is read from
    /// the user database, because Foundation would use `/home` for every user.
    package static func folder(
        in environment: [String: String], registeredHome: @autoclosure () -> String?
    ) -> String? {
        func path(_ name: String) -> String? { environment[name].flatMap { $0.hasPrefix("/") ? $0 : nil } }
        return path("XDG_CACHE_HOME") ?? (path("HOME") ?? registeredHome()).map { $0 + "/.cache" }
    }

    /// The home folder of the effective user in the user database.
    private static var registeredHome: String? {
        withUnsafeTemporaryAllocation(of: CChar.self, capacity: 16 << 10) { buffer in
            var entry = passwd()
            var found: UnsafeMutablePointer<passwd>?
            guard let start = buffer.baseAddress,
                getpwuid_r(geteuid(), &entry, start, buffer.count, &found) == 0, found != nil,
                let home = entry.pw_dir
            else { return nil }
            return String(cString: home)
        }
    }
}
