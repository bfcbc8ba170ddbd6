import ArgumentParser
import Kingfisher

/// Removes entries, one after another, as far as possible.
struct CacheRemoval {
    private let folder: CacheFolder
    private(set) var removed = 0
    private(set) var bytes = 0
    private var failures: [(path: String, error: any Error)] = []

    /// What was stored or extended again in the meantime stays.
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

    /// Says what was removed, what is left and what is not the cache's; ends with 1 if something could not be
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
            let others = foreign > 0 ? "; \(foreign) foreign left alone" : ""
            console.print(
                "\(folder.path): removed \(removed) entries of \(bytes) bytes, kept \(kept)\(others)"
            )
        }
        if !failures.isEmpty { throw ExitCode(1) }
    }
}
