import ArgumentParser
import Foundation
import Glibc
import Kingfisher

struct CacheVerifyCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "verify", abstract: "Checks the length and checksum of every entry.",
        usage: "kingfisher cache verify [--repair] [--cache DIR] [--json]",
        discussion: """
            Prints a line for each entry that is damaged, empty or unreadable, and for each foreign file; \
            then the counts. An entry without a checksum, for example after copying, is valid. The exit \
            status is 1 if bad entries remain.
            """)

    @Flag(help: "Removes damaged and empty entries.")
    var repair = false

    @OptionGroup var options: CacheOptions

    func run() throws {
        try options.withFolder { folder, console in
            var tally = VerificationTally()
            let contents = try folder.contents()
            for entry in contents.entries {
                // Nil if another process has removed the entry.
                guard let state = folder.storage.state(of: entry) else { continue }
                var outcome = VerificationTally.Outcome.kept
                if repair, state.isRepairable { outcome = remove(entry, from: folder, console) }
                tally.add(state, outcome)
                if state.isBad { report(entry.fileName, state.name, state.reason, outcome, console) }
            }
            for name in contents.foreignNames {
                tally.foreign += 1
                report(name, "foreign", nil, .kept, console)
            }
            if options.json { console.print(tally.json(folder.path)) } else { console.print(tally.text) }
            if tally.badEntriesLeft > 0 { throw ExitCode(1) }
        }
    }

    private func remove(
        _ entry: DiskStorage.Entry, from folder: CacheFolder, _ console: Console
    ) -> VerificationTally.Outcome {
        do {
            // `remove` returns false if the entry was replaced in the meantime.
            return try folder.storage.remove(entry) ? .removed : .replaced
        } catch {
            console.report(error, ofFile: entry.url.path, json: options.json)
            return .kept
        }
    }

    private func report(
        _ file: String, _ state: String, _ reason: String?, _ outcome: VerificationTally.Outcome,
        _ console: Console
    ) {
        if options.json {
            console.print(
                JSONLine([
                    "file": .text(file), "state": .text(state), "reason": reason.map { .text($0) } ?? .null,
                    "removed": .truth(outcome == .removed),
                ]))
        } else {
            let what = state + (outcome == .removed ? ", removed" : "")
            console.print("\(what)  \(file.forMessages)\(reason.map { ": \($0)" } ?? "")")
        }
    }
}

extension DiskStorage.EntryState {
    var name: String {
        switch self {
        case .intact: "ok"
        case .withoutChecksum: "withoutChecksum"
        case .damaged: "damaged"
        case .empty: "empty"
        case .unreadable: "unreadable"
        }
    }

    fileprivate var reason: String? {
        if case .unreadable(let code) = self { String(cString: strerror(code)) } else { nil }
    }

    fileprivate var isBad: Bool { self != .intact && self != .withoutChecksum }

    /// Whether removal loses nothing: an entry that is unreadable now may be intact.
    fileprivate var isRepairable: Bool { self == .damaged || self == .empty }
}
