import ArgumentParser
import Kingfisher

/// Removes entries one by one; a failure does not stop the others.
struct CacheRemoval {
    private let folder: CacheFolder
    private(set) var removed = 0
    private(set) var bytes = 0
    private var failures: [(path: String, error: any Error)] = []

    /// An entry that was stored or extended again in the meantime is not removed.
    init(_ entries: [DiskStorage.Entry], of folder: CacheFolder) {
        self.folder = folder
        for entry in entries {
            do {
                guard try folder.storage.remove(entry) else { continue }
                removed += 1
                bytes &+= entry.byteCount
            } catch {
                failures.append((entry.url.path, error))
            }
        }
    }

    /// Prints the counts of removed, remaining and foreign files; exits with 1 if an entry could not be
    /// removed.
    func report(of contents: CacheFolder.Contents, to console: Console, json: Bool) throws {
        let (kept, foreign) = (contents.entries.count - removed, contents.foreignNames.count)
        for failure in failures { console.report(failure.error, ofFile: failure.path, json: json) }
        if json {
            console.print(
                JSONLine([
                    "folder": .text(folder.path), "removed": .whole(removed), "bytes": .whole(bytes),
                    "entries": .whole(kept), "foreign": .whole(foreign),
                ]))
        } else {
            let others = foreign > 0 ? "; ignored \(foreign) foreign files" : ""
            console.print(
                "\(folder.path): removed \(removed) entries (\(bytes) bytes), kept \(kept)\(others)"
            )
        }
        if !failures.isEmpty { throw ExitCode(1) }
    }
}
