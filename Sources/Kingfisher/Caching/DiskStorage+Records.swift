import Foundation
import KingfisherStorage

/// What travels with the files besides their bytes.
extension DiskStorage.Backend where T == Data {
    /// Writes `data` with its tags and with what is to travel with it; see `store(value:forKey:)`.
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

    /// Removes the files of a selection that were stored before or at `date`; returns how many.
    func removeEntries(in selection: EntrySelection, storedUntil date: Date) throws -> Int {
        do {
            return try engine.removeEntries(in: selection, storedUntil: date).count
        } catch {
            throw failure(error)
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
    /// - Parameter httpRecords: Replace the records that an HTTP response has left; nil keeps those.
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
