import Foundation
import Glibc
import KingfisherStorage

/// The steps around a power cut: writing before it, the cut itself, and the check after it.
struct PowerRoles {
    let engine: DiskEngine

    /// - Parameter arguments: With `durable`, every store waits until its file would survive.
    init(folder: String, _ arguments: [String]) throws {
        let settings = DiskSettings(syncsWrites: arguments.contains("durable"))
        engine = DiskEngine(directory: folder, settings: settings)
        try engine.prepare()
    }

    /// `COUNT SECONDS [durable]`: stores entries at an even pace, one in four over an older one, and reports
    /// each of them. Ends when the power is cut.
    func write(_ arguments: [String]) throws {
        guard arguments.count > 1, let count = Int(arguments[0]), let seconds = Double(arguments[1]) else {
            throw CacheWorker.WrongUse()
        }
        let start = ContinuousClock.now
        var stored: [Int] = []
        for number in 0..<count {
            let key = number % 4 == 3 ? stored.randomElement() ?? number : number
            let payload = Payload(key: key, version: UInt64(number) + 1)
            report("storing \(key) \(payload.version)")
            do {
                try engine.store(payload.bytes, for: FolderCheck.name(of: key), expiration: .days(7))
            } catch {
                return report("ended \(error)")
            }
            stored.append(key)
            report("stored \(key) \(payload.version)")
            let due = start + .seconds(seconds * Double(number + 1) / Double(count))
            let early = due - ContinuousClock.now
            if early > .zero { usleep(UInt32(early / .microseconds(1))) }
        }
        report("done")
    }

    /// Shuts down the file system that holds a folder, and discards what it has not written.
    static func cut(_ folder: String) throws {
        let file = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        defer { close(file) }
        // EXT4_IOC_SHUTDOWN of the kernel's ext4.h, which XFS shares; 2 is EXT4_GOING_FLAGS_NOLOGFLUSH.
        var flags: UInt32 = 2
        guard file >= 0, ioctl(file, 0x8004_587D, &flags) == 0 else {
            throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO)
        }
    }

    /// `FILE [durable]`: counts the files in the folder, then compares what the engine serves with the output
    /// of `write` in FILE. Fails if corrupt content is served or is still there after a read; with
    /// `durable` also if an entry is missing.
    func check(_ arguments: [String]) throws {
        guard let file = arguments.first else { throw CacheWorker.WrongUse() }
        let before = try FolderCheck(of: engine.directory)
        report(
            """
            files: \(before.entries) (whole \(before.whole.count), empty \(before.empty), \
            all zero \(before.zeroed), otherwise torn \(before.torn)), staged \(before.staged)
            """)
        let said = try String(contentsOfFile: file, encoding: .utf8)
        let written = Self.versions(after: "stored", in: said)
        var served = 0
        var damaged = 0
        var missing = 0
        // The last entry may be stored, whole or not, without a line that says so.
        for key in Self.versions(after: "storing", in: said).keys {
            let version = written[key] ?? 0
            switch try engine.data(for: FolderCheck.name(of: key)).map(Payload.judge) {
            case .whole(let payload) where payload.key == key:
                served += 1
                if payload.version < version { missing += 1 }
            case nil: missing += version > 0 ? 1 : 0
            default: damaged += 1
            }
        }
        let after = try FolderCheck(of: engine.directory)
        report("served: \(served) whole, \(damaged) damaged; damaged files left: \(after.damaged)")
        report("acknowledged: \(written.count), of these missing or older: \(missing)")
        guard damaged == 0, after.damaged == 0, missing == 0 || !arguments.contains("durable") else {
            exit(1)
        }
    }

    /// The latest version of each key in lines that start with a word.
    private static func versions(after word: String, in text: String) -> [Int: UInt64] {
        var versions: [Int: UInt64] = [:]
        for line in text.split(separator: "\n") {
            let words = line.split(separator: " ")
            guard words.count == 3, words[0] == word, let key = Int(words[1]), let version = UInt64(words[2])
            else { continue }
            versions[key] = version
        }
        return versions
    }
}
