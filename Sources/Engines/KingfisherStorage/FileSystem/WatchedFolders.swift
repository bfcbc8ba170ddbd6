import CLinux
package import Dispatch
import Glibc
import KingfisherConcurrency
import Synchronization

/// Reports changes of files, by this process and others, with inotify(7). Safe to use from any thread.
///
/// A folder has one watch for all of its files, and all folders share one inotify instance, because a user
/// may have only few of both. The system calls run on a serial queue, which the kernel wakes; nothing is
/// polled. Separate from `FolderWatch`, which must not wake at each write of a cache.
///
/// A file is reported when it is complete: closed after writing, renamed, or linked. A folder that does not
/// exist is awaited in its nearest ancestor. Nothing is reported in folders of network file systems, whose
/// other clients cause no events, and in folders that the kernel refuses to watch.
package final class WatchedFolders: Sendable {
    package static let shared = WatchedFolders()

    /// One watched file. Reports end when it is released.
    package final class Watch: Sendable {
        fileprivate let file: FilePlace
        fileprivate let report: @Sendable () -> Void
        private let folders: WatchedFolders

        fileprivate init(
            _ file: FilePlace, _ folders: WatchedFolders, _ report: @escaping @Sendable () -> Void
        ) {
            (self.file, self.folders, self.report) = (file, folders, report)
        }

        deinit { folders.end(file, ObjectIdentifier(self)) }
    }

    private struct State: Sendable {
        var instance: InotifyInstance?
        var folders: [[UInt8]: Folder] = [:]
        /// Several paths may lead to one folder.
        var paths: [CInt: Set<[UInt8]>] = [:]
    }

    private struct Folder: Sendable {
        /// Nil if the kernel does not watch it.
        var number: CInt?
        var watches: [[UInt8]: [ObjectIdentifier: WeakWatch]] = [:]
        /// The missing folders that wait for a child with this name.
        var waiting: [[UInt8]: Set<[UInt8]>] = [:]
        /// The child of an ancestor that a missing folder waits for.
        var awaited: FilePlace?

        var isUnused: Bool { watches.isEmpty && waiting.isEmpty }
        var allWatches: [Watch] { watches.values.flatMap(\.values).compactMap(\.watch) }
    }

    private struct WeakWatch: Sendable {
        weak var watch: Watch?
    }

    private static let events = UInt32(
        IN_CLOSE_WRITE | IN_MOVED_TO | IN_CREATE | IN_DELETE_SELF | IN_MOVE_SELF | IN_ONLYDIR)

    private let queue: DispatchQueue
    private let fileSystem: FileSystem
    private let isRemote: @Sendable (UnsafePointer<CChar>) -> Bool
    /// Used on the queue only.
    private let state = Mutex(State())

    /// - Parameters:
    ///   - queue: A serial queue.
    ///   - isRemote: Whether a folder is on a network file system.
    package init(
        queue: DispatchQueue = DispatchQueue(label: "com.onevcat.Kingfisher.WatchedFolders"),
        fileSystem: FileSystem = FileSystem(),
        isRemote: @escaping @Sendable (UnsafePointer<CChar>) -> Bool = { kf_linux_is_remote($0) }
    ) {
        (self.queue, self.fileSystem, self.isRemote) = (queue, fileSystem, isRemote)
    }

    /// The number of folders that the kernel watches.
    package var watchedCount: Int { state.withLock(\.paths.count) }

    /// Watches a file, which need not exist. Nil for the path of no file.
    ///
    /// `report` is called on the queue: when the watch has begun or was refused, after changes, and when
    /// events were lost. The file may be unchanged.
    ///
    /// - Parameter path: The bytes of an absolute path.
    package func watch(_ path: [UInt8], _ report: @escaping @Sendable () -> Void) -> Watch? {
        guard let file = FilePlace(path) else { return nil }
        let watch = Watch(file, self, report)
        queue.async { [self, weak watch] in
            guard let watch else { return }
            state.withLock { begin(watch, &$0) }
            watch.report()
        }
        return watch
    }

    private func begin(_ watch: Watch, _ state: inout State) {
        let (folder, name) = (watch.file.folder, watch.file.name)
        state.folders[folder, default: Folder()]
            .watches[name, default: [:]][ObjectIdentifier(watch)] = WeakWatch(watch: watch)
        if state.folders[folder]?.awaited == nil { arm(folder, &state) }
    }

    private func end(_ file: FilePlace, _ watch: ObjectIdentifier) {
        queue.async { [self] in
            state.withLock { state in
                state.folders[file.folder]?.watches[file.name]?[watch] = nil
                if state.folders[file.folder]?.watches[file.name]?.isEmpty == true {
                    state.folders[file.folder]?.watches[file.name] = nil
                }
                removeIfUnused(file.folder, &state)
            }
        }
    }

    // MARK: Watches of the kernel

    /// Watches a folder, or the nearest ancestor of a missing one.
    private func arm(_ path: [UInt8], _ state: inout State) {
        // The folder may be made and removed in the meantime.
        for _ in 0..<8 {
            stopWaiting(path, &state)
            guard add(path, &state) == ENOENT, var awaited = FilePlace(path) else { return }
            var code = add(awaited.folder, &state)
            while code == ENOENT, let parent = FilePlace(awaited.folder) {
                awaited = parent
                code = add(awaited.folder, &state)
            }
            guard code == 0 else { return }
            state.folders[awaited.folder]?.waiting[awaited.name, default: []].insert(path)
            state.folders[path]?.awaited = awaited
            if status(of: awaited.path) == nil { return }
        }
    }

    /// Returns 0 or an error number; ENOENT if there is no such folder.
    private func add(_ path: [UInt8], _ state: inout State) -> CInt {
        if state.folders[path]?.number != nil { return 0 }
        if state.instance == nil {
            state.instance = InotifyInstance(on: queue) { [weak self] in self?.handle($0) }
        }
        guard let instance = state.instance else { return EMFILE }
        return path.withPath { name in
            if isRemote(name) { return ENOTSUP }
            do throws(SystemError) {
                let number = try fileSystem.perform(.watch, name) {
                    inotify_add_watch(instance.descriptor, name, Self.events)
                }
                state.folders[path, default: Folder()].number = number
                state.paths[number, default: []].insert(path)
                return 0
            } catch {
                return error.code == ENOTDIR ? ENOENT : error.code
            }
        }
    }

    private func remove(_ number: CInt, of path: [UInt8], _ state: inout State) {
        state.folders[path]?.number = nil
        guard state.paths[number]?.remove(path) != nil, state.paths[number]?.isEmpty == true else { return }
        state.paths[number] = nil
        if let instance = state.instance { _ = inotify_rm_watch(instance.descriptor, number) }
    }

    private func stopWaiting(_ path: [UInt8], _ state: inout State) {
        guard let awaited = state.folders[path]?.awaited else { return }
        state.folders[path]?.awaited = nil
        state.folders[awaited.folder]?.waiting[awaited.name]?.remove(path)
        if state.folders[awaited.folder]?.waiting[awaited.name]?.isEmpty == true {
            state.folders[awaited.folder]?.waiting[awaited.name] = nil
        }
        removeIfUnused(awaited.folder, &state)
    }

    private func removeIfUnused(_ path: [UInt8], _ state: inout State) {
        guard let folder = state.folders[path], folder.isUnused else { return }
        stopWaiting(path, &state)
        if let number = folder.number { remove(number, of: path, &state) }
        state.folders[path] = nil
    }

    // MARK: Events

    private func handle(_ events: UnsafeRawBufferPointer) {
        var changed: [ObjectIdentifier: Watch] = [:]
        state.withLock { state in
            InotifyInstance.forEach(in: events) { event, name in
                let watches =
                    event.mask & UInt32(IN_Q_OVERFLOW) != 0
                    ? rearmAll(&state)
                    : (state.paths[event.wd] ?? []).flatMap { handle(event, Array(name), in: $0, &state) }
                for watch in watches { changed[ObjectIdentifier(watch)] = watch }
            }
        }
        for watch in changed.values { watch.report() }
    }

    /// Returns the watches of files that may have changed.
    private func handle(
        _ event: inotify_event, _ name: [UInt8], in path: [UInt8], _ state: inout State
    ) -> [Watch] {
        func has(_ events: Int...) -> Bool { events.contains { event.mask & UInt32($0) != 0 } }
        if has(Int(IN_IGNORED), Int(IN_MOVE_SELF), Int(IN_UNMOUNT)) { return rearm(path, &state) }
        guard let folder = state.folders[path] else { return [] }
        let waiting = has(Int(IN_CREATE), Int(IN_MOVED_TO)) ? folder.waiting[name] ?? [] : []
        let others = waiting.flatMap { rearm($0, &state) }
        guard let watches = folder.watches[name],
            has(Int(IN_CLOSE_WRITE), Int(IN_MOVED_TO)) || isLink(FilePlace(folder: path, name: name).path)
        else { return others }
        return others + watches.values.compactMap(\.watch)
    }

    /// Whether a name that was created is a link. A new file is reported when it is closed.
    private func isLink(_ path: [UInt8]) -> Bool {
        status(of: path).map { $0.st_mode & S_IFMT == S_IFLNK || $0.st_nlink > 1 } ?? false
    }

    private func status(of path: [UInt8]) -> stat? {
        var status = stat()
        return path.withPath { lstat($0, &status) } == 0 ? status : nil
    }

    /// Watches the folder that the path leads to now.
    private func rearm(_ path: [UInt8], _ state: inout State) -> [Watch] {
        guard let folder = state.folders[path] else { return [] }
        if let number = folder.number { remove(number, of: path, &state) }
        let waiting = folder.waiting.values.reduce(into: Set()) { $0.formUnion($1) }
        let others = waiting.flatMap { rearm($0, &state) }
        if folder.watches.isEmpty { removeIfUnused(path, &state) } else { arm(path, &state) }
        return others + folder.allWatches
    }

    private func rearmAll(_ state: inout State) -> [Watch] {
        state.folders.filter { !$0.value.watches.isEmpty }.keys.flatMap { rearm($0, &state) }
    }
}

/// A name in a folder, as bytes, because names on Linux need not be UTF-8.
private struct FilePlace: Sendable {
    let folder: [UInt8]
    let name: [UInt8]

    init(folder: [UInt8], name: [UInt8]) { (self.folder, self.name) = (folder, name) }

    /// Nil for the root, and for a path that is not absolute or ends with a slash.
    init?(_ path: [UInt8]) {
        guard path.first == UInt8(ascii: "/"), let slash = path.lastIndex(of: UInt8(ascii: "/")) else {
            return nil
        }
        (folder, name) = (Array(path[..<max(slash, 1)]), Array(path[(slash + 1)...]))
        if name.isEmpty { return nil }
    }

    var path: [UInt8] { folder.count == 1 ? folder + name : folder + [UInt8(ascii: "/")] + name }
}

extension [UInt8] {
    fileprivate func withPath<Value>(_ body: (UnsafePointer<CChar>) -> Value) -> Value {
        (map { CChar(truncatingIfNeeded: $0) } + [0]).withUnsafeBufferPointer { path in
            // Not empty: it ends with a zero.
            body(path.baseAddress!)
        }
    }
}
