import Foundation
import KingfisherStorage

/// What travels with the files besides their bytes.
extension DiskStorage.Backend where T == Data {
    /// Writes `data` with what is to travel with them; see `store(value:forKey:)`.
    func store(
        _ data: Data, forKey key: String, expiration: StorageExpiration?,
        writeOptions: Data.WritingOptions = [], forcedExtension: String?, records: [EntryRecord]
    ) throws {
        let config = config
        do {
            try engine.store(
                data, for: config.naming.name(forKey: key, forcedExtension: forcedExtension),
                expiration: expiration ?? config.expiration,
                replacing: !writeOptions.contains(.withoutOverwriting), records: records)
        } catch {
            throw failure(error, key: key, data: data)
        }
    }

    /// Reads the bytes with what travels with them; see `value(forKey:)`.
    func entry(
        forKey key: String, forcedExtension: String?, extendingExpiration: ExpirationExtending
    ) throws -> StoredEntry? {
        do {
            return try engine.entry(
                for: config.naming.name(forKey: key, forcedExtension: forcedExtension),
                extending: extendingExpiration)
        } catch {
            throw failure(error, key: key)
        }
    }

    /// Has the file live as if it were stored now; false where there is none to be served.
    ///
    /// - Parameter records: What travels with it from now on; nil leaves what does.
    func renew(
        forKey key: String, expiration: StorageExpiration?, forcedExtension: String?,
        records: [EntryRecord]? = nil
    ) -> Bool {
        let config = config
        return engine.renew(
            config.naming.name(forKey: key, forcedExtension: forcedExtension),
            expiration: expiration ?? config.expiration, records: records)
    }
}
