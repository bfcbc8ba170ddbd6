import Foundation
import KingfisherStorage

/// Files with records: the metadata beside their bytes.
extension DiskStorage.Backend where T == Data {
    func store(
        _ data: Data, forKey key: String, expiration: StorageExpiration?,
        writeOptions: Data.WritingOptions = [], forcedExtension: String?, tags: [String] = [],
        records: [EntryRecord]
    ) throws {
        let config = config
        let recordsKey = config.recordsKeys || !tags.isEmpty
        do {
            try engine.store(
                data, for: config.naming.name(forKey: key, forcedExtension: forcedExtension),
                expiration: expiration ?? config.expiration,
                replacing: !writeOptions.contains(.withoutOverwriting),
                records: records + EntryRecord.records(key: recordsKey ? key : nil, tags: tags))
        } catch {
            throw failure(error, key: key, data: data)
        }
    }

    func removeEntries(in selection: EntrySelection, storedUntil date: Date) throws -> Int {
        do {
            return try engine.removeEntries(in: selection, storedUntil: date).count
        } catch {
            throw failure(error)
        }
    }

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

    func openEntry(
        forKey key: String, forcedExtension: String?, extendingExpiration: ExpirationExtending
    ) throws -> OpenEntry? {
        do {
            return try engine.open(
                config.naming.name(forKey: key, forcedExtension: forcedExtension),
                extending: extendingExpiration)
        } catch {
            throw failure(error, key: key)
        }
    }

    /// Renews the expiration of a file, as if it were stored now. Returns false if there is no valid file.
    ///
    /// - Parameter httpRecords: The new records of the HTTP response; nil to leave them unchanged.
    func renew(
        forKey key: String, expiration: StorageExpiration?, forcedExtension: String?,
        httpRecords: [EntryRecord]? = nil
    ) -> Bool {
        let config = config
        return engine.renew(
            config.naming.name(forKey: key, forcedExtension: forcedExtension),
            expiration: expiration ?? config.expiration, httpRecords: httpRecords)
    }
}
