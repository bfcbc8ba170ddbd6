public import Foundation
public import KingfisherStorage
import Synchronization

/// Storage of values on disk.
public enum DiskStorage {
    /// Keeps values as files, one for each key, in a folder that holds nothing else.
    ///
    /// Safe from any thread and, for one folder, from several processes. Every call does its file work on the
    /// caller's thread before it returns. Files appear whole or not at all, and are verified when they are
    /// read. Errors are `KingfisherError.cacheError`.
    public final class Backend<T: DataTransformable & Sendable>: Sendable {
        /// The folder.
        public let directoryURL: URL
        let engine: DiskEngine
        let clock: any StorageClock
        private let settings: Mutex<Config>

        /// Opens or creates the folder; throws `cannotCreateDirectory` when that fails.
        public convenience init(config: Config) throws {
            try self.init(config: config, clock: WallClock())
        }

        package convenience init(
            config: Config, fileSystem: FileSystem = FileSystem(), clock: any StorageClock
        ) throws {
            self.init(unprepared: config, fileSystem: fileSystem, clock: clock)
            do {
                try engine.prepare()
            } catch {
                throw failure(error)
            }
        }

        /// Opens a folder to look at what it holds, and to remove some of that, as other storages of it
        /// are in use or not: makes no folder, and starts nothing in the background. Storing and reading
        /// values throw `diskStorageIsNotReady`.
        public convenience init(inspecting config: Config) {
            self.init(unprepared: config, fileSystem: FileSystem(), clock: WallClock())
        }

        /// Opens or creates the folder; when that fails, every later call throws `diskStorageIsNotReady`.
        convenience init(readyWhenPossible config: Config) {
            self.init(unprepared: config, fileSystem: FileSystem(), clock: WallClock())
            try? engine.prepare()
        }

        private init(unprepared config: Config, fileSystem: FileSystem, clock: any StorageClock) {
            directoryURL = config.folderURL
            self.clock = clock
            engine = DiskEngine(
                directory: directoryURL.path, settings: config.engineSettings, fileSystem: fileSystem,
                clock: clock)
            settings = Mutex(config)
        }

        /// The settings; a change holds for later calls. The folder stays.
        public var config: Config {
            get { settings.withLock { $0 } }
            set {
                settings.withLock { settings in
                    settings = newValue
                    // Inside, so that the last one to set it is the last here, too.
                    engine.settings = newValue.engineSettings
                }
            }
        }

        /// What the folder holds and how its use went, as far as this process knows without looking.
        var statistics: DiskCacheStatistics { engine.statistics }

        /// Writes `value`, replacing what was there, or failing then if `writeOptions` say
        /// `.withoutOverwriting`. Writes are always atomic. An expiration that has passed writes nothing.
        public func store(
            value: T, forKey key: String, expiration: StorageExpiration? = nil,
            writeOptions: Data.WritingOptions = [], forcedExtension: String? = nil
        ) throws {
            let config = config
            let data: Data
            do {
                data = try value.toData()
            } catch {
                throw KingfisherError.cacheError(
                    reason: .cannotConvertToData(object: "\(T.self)", error: error))
            }
            do {
                try engine.store(
                    data, for: config.naming.name(forKey: key, forcedExtension: forcedExtension),
                    expiration: expiration ?? config.expiration,
                    replacing: !writeOptions.contains(.withoutOverwriting),
                    records: config.recordsKeys ? EntryRecord.records(key: key, tags: []) : [])
            } catch {
                throw failure(error, key: key, data: data)
            }
        }

        /// Reads the value, unless there is none or it has expired; its expiration moves as
        /// `extendingExpiration` says. A file that was damaged is a miss, and is removed.
        public func value(
            forKey key: String, forcedExtension: String? = nil,
            extendingExpiration: ExpirationExtending = .cacheTime
        ) throws -> T? {
            let data: Data?
            do {
                data = try engine.data(
                    for: config.naming.name(forKey: key, forcedExtension: forcedExtension),
                    extending: extendingExpiration)
            } catch {
                throw failure(error, key: key)
            }
            guard let data else { return nil }
            do {
                return try T.fromData(data)
            } catch {
                let url = cacheFileURL(forKey: key, forcedExtension: forcedExtension)
                throw KingfisherError.cacheError(reason: .cannotLoadDataFromDisk(url: url, error: error))
            }
        }

        /// Whether there is a file that has not expired; extends nothing.
        public func isCached(forKey key: String, forcedExtension: String? = nil) -> Bool {
            engine.isCached(config.naming.name(forKey: key, forcedExtension: forcedExtension))
        }

        /// Whether there is a file that will not have expired at `referenceDate`; extends nothing.
        public func isCached(
            forKey key: String, referenceDate: Date, forcedExtension: String? = nil
        ) -> Bool {
            engine.isCached(
                config.naming.name(forKey: key, forcedExtension: forcedExtension), at: referenceDate)
        }

        /// Whether calls of `rulesOut` can be answered.
        var knowsNames: Bool { engine.knowsNames }

        /// Whether there is certainly no file, as far as that is known without touching the disk. Only for
        /// starting downloads: it may be wrong about what another process has just stored.
        func rulesOut(_ key: String, forcedExtension: String?) -> Bool {
            engine.rulesOut(config.naming.name(forKey: key, forcedExtension: forcedExtension))
        }

        /// Removes the file; one that is not there is removed already.
        public func remove(forKey key: String, forcedExtension: String? = nil) throws {
            do {
                try engine.remove(config.naming.name(forKey: key, forcedExtension: forcedExtension))
            } catch {
                throw failure(error, key: key)
            }
        }

        /// Removes every file and keeps the folder, or makes it again.
        public func removeAll() throws {
            do {
                try engine.removeAll()
            } catch {
                throw failure(error)
            }
        }

        /// Where the value's file is or would be.
        public func cacheFileURL(forKey key: String, forcedExtension: String? = nil) -> URL {
            URL(
                fileURLWithPath: engine.path(
                    of: config.naming.name(forKey: key, forcedExtension: forcedExtension)))
        }

        /// Removes expired files and returns them.
        public func removeExpiredValues() throws -> [URL] {
            try removeExpiredValues(referenceDate: nil)
        }

        /// Removes the files that have expired at `referenceDate`, and returns them.
        func removeExpiredValues(referenceDate: Date?) throws -> [URL] {
            do {
                return urls(try engine.removeExpired(at: referenceDate))
            } catch {
                throw failure(error)
            }
        }

        /// When the files exceed the size limit, removes the least recently used down to half of it, and
        /// returns them.
        public func removeSizeExceededValues() throws -> [URL] {
            do {
                return urls(try engine.removeSizeExceeded(limit: UInt64(config.sizeLimit)))
            } catch {
                throw failure(error)
            }
        }

        /// Removes expired files and those that exceed the size limit, as far as possible.
        ///
        /// Returns names: URLs of thousands of files take megabytes, on the heap of whichever thread sweeps.
        func removeSurplus() -> [String] {
            // A folder that cannot be listed holds nothing that could be removed; one file that cannot be
            // removed makes no difference to the others, which whoever watches the cache learns of.
            let expired = (try? engine.sweepExpired())?.removed ?? []
            let exceeding = (try? engine.sweepSizeExceeded(limit: UInt64(config.sizeLimit)))?.removed ?? []
            return expired + exceeding
        }

        /// Bytes of all files.
        public func totalSize() throws -> UInt {
            do {
                return UInt(try engine.totalSize())
            } catch {
                throw failure(error)
            }
        }

        private func urls(_ names: [String]) -> [URL] {
            names.map { directoryURL.appendingPathComponent($0, isDirectory: false) }
        }

        func failure(
            _ failure: DiskStorageFailure, key: String = "", data: Data = Data()
        ) -> any Error {
            failure.publicError(key: key, data: data, directory: directoryURL)
        }
    }
}
