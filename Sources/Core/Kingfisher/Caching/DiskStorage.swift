public import Foundation
public import KingfisherStorage
import Synchronization

/// Storage of values on disk.
public enum DiskStorage {
    /// A storage of values as files, one for each key, in a separate folder.
    ///
    /// Safe from any thread, and several processes may use one folder. Every call does its I/O on the
    /// caller's thread before it returns. Files are written atomically and verified when they are read.
    /// Errors are `KingfisherError.cacheError`.
    public final class Backend<T: DataTransformable & Sendable>: Sendable {
        /// The folder of the files.
        public let directoryURL: URL
        let engine: DiskEngine
        let clock: any StorageClock
        private let settings: Mutex<Config>

        /// Opens or creates the folder. Throws `cannotCreateDirectory` if that fails.
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

        /// Opens a folder to inspect and remove its entries, even while other storages use it.
        ///
        /// Creates no folder and starts no background work. Storing and reading values throw
        /// `diskStorageIsNotReady`.
        public convenience init(inspecting config: Config) {
            self.init(unprepared: config, fileSystem: FileSystem(), clock: WallClock())
        }

        /// Opens or creates the folder. If that fails, every later call throws `diskStorageIsNotReady`.
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

        /// The settings. A change applies to later calls, but does not change the folder.
        public var config: Config {
            get { settings.withLock { $0 } }
            set {
                settings.withLock { settings in
                    settings = newValue
                    // Under the lock, so that concurrent changes reach the engine in the same order.
                    engine.settings = newValue.engineSettings
                }
            }
        }

        var statistics: DiskCacheStatistics { engine.statistics }

        /// Writes `value` atomically.
        ///
        /// Replaces an existing file, or throws if there is one and `writeOptions` contains
        /// `.withoutOverwriting`. Writes nothing if the expiration has passed.
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

        /// Reads the value; returns nil if it is missing or has expired.
        ///
        /// `extendingExpiration` says how the read moves the expiration. A corrupt file is a miss and is
        /// removed.
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

        /// Whether there is a file that has not expired. Does not move the expiration.
        public func isCached(forKey key: String, forcedExtension: String? = nil) -> Bool {
            engine.isCached(config.naming.name(forKey: key, forcedExtension: forcedExtension))
        }

        /// Whether there is a file that has not expired at `referenceDate`. Does not move the expiration.
        public func isCached(
            forKey key: String, referenceDate: Date, forcedExtension: String? = nil
        ) -> Bool {
            engine.isCached(
                config.naming.name(forKey: key, forcedExtension: forcedExtension), at: referenceDate)
        }

        var knowsNames: Bool { engine.knowsNames }

        /// Whether the name filter rules out a file, without I/O. Use it only to start a download: another
        /// process may have just stored the file.
        func rulesOut(_ key: String, forcedExtension: String?) -> Bool {
            engine.rulesOut(config.naming.name(forKey: key, forcedExtension: forcedExtension))
        }

        /// Removes the file. A missing file is not an error.
        public func remove(forKey key: String, forcedExtension: String? = nil) throws {
            do {
                try engine.remove(config.naming.name(forKey: key, forcedExtension: forcedExtension))
            } catch {
                throw failure(error, key: key)
            }
        }

        /// Removes every file, but not the folder, which is created if it is missing.
        public func removeAll() throws {
            do {
                try engine.removeAll()
            } catch {
                throw failure(error)
            }
        }

        /// The URL of the value's file, whether it exists or not.
        public func cacheFileURL(forKey key: String, forcedExtension: String? = nil) -> URL {
            URL(
                fileURLWithPath: engine.path(
                    of: config.naming.name(forKey: key, forcedExtension: forcedExtension)))
        }

        /// Removes expired files and returns them.
        public func removeExpiredValues() throws -> [URL] {
            try removeExpiredValues(referenceDate: nil)
        }

        func removeExpiredValues(referenceDate: Date?) throws -> [URL] {
            do {
                return urls(try engine.removeExpired(at: referenceDate))
            } catch {
                throw failure(error)
            }
        }

        /// If the files exceed the size limit, removes the least recently used ones until the rest takes at
        /// most half of it. Returns the removed files.
        public func removeSizeExceededValues() throws -> [URL] {
            do {
                return urls(try engine.removeSizeExceeded(limit: UInt64(config.sizeLimit)))
            } catch {
                throw failure(error)
            }
        }

        /// Removes expired files and those that exceed the size limit, and returns their names.
        ///
        /// Names, because URLs of thousands of files take megabytes.
        func removeSurplus() -> [String] {
            // Errors are ignored, so that the removed files are reported even if others cannot be removed.
            let expired = (try? engine.sweepExpired())?.removed ?? []
            let exceeding = (try? engine.sweepSizeExceeded(limit: UInt64(config.sizeLimit)))?.removed ?? []
            return expired + exceeding
        }

        /// The number of bytes of all files.
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
