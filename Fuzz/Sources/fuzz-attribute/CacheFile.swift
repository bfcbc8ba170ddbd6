import Foundation

@testable import KingfisherStorage

/// A file in a separate cache folder, with an arbitrary attribute.
final class CacheFile: Sendable {
    static let content = Data("sixteen bytes ok".utf8)

    private let engine: DiskEngine
    private let name = FileNaming().name(forKey: "image")
    private let system = FileSystem()
    private let clock = StoppedClock()

    init() {
        let folder = FileManager.default.temporaryDirectory
            .appendingPathComponent("kingfisher-fuzz-\(ProcessInfo.processInfo.processIdentifier)")
        // Nothing runs in the background, so that runs are deterministic.
        engine = DiskEngine(
            directory: folder.path, clock: clock, background: BackgroundWork { _, _ in })
        do {
            try engine.prepare()
        } catch {
            preconditionFailure("cannot create the cache folder: \(error)")
        }
    }

    /// Loads the entry, renews it, and inspects it.
    func use(_ attribute: [UInt8]) {
        guard place(attribute) else { return }
        let reading = EntryAttribute.read(attribute)
        let extending: ExpirationExtending = attribute.count % 3 == 0 ? .none : .cacheTime
        do {
            let entry = try engine.entry(for: name, extending: extending)
            check(entry, reading)
            engine.writePendingAccesses()
            let isCached = engine.isCached(name)
            precondition(!isCached || entry != nil, "a damaged file was not removed")
            let isRenewed = engine.renew(name, expiration: .seconds(50))
            precondition(isRenewed == isCached, "an entry is cached, but cannot be renewed")
            if isRenewed, case .valid(let old) = reading { try checkRenewal(of: old) }
            try engine.inspect(named: FileNaming()) { item in
                guard case .entry(let entry) = item else { return }
                precondition(
                    !isRenewed || entry.expiration == clock.now + 50, "the expiration is wrong")
                precondition(
                    ![.damaged, .empty].contains(engine.condition(of: entry)),
                    "a damaged file was delivered")
            }
        } catch {
            preconditionFailure("an attribute caused an error: \(error)")
        }
    }

    /// Returns false if the file system does not support such an attribute.
    private func place(_ attribute: [UInt8]) -> Bool {
        let path = engine.path(of: name)
        do {
            if access(path, F_OK) != 0 { try Self.content.write(to: URL(fileURLWithPath: path)) }
            let file = try system.openForReading(path)
            try system.setTimes(of: file, accessed: clock.now - 10, modified: clock.now + 100)
            try system.setAttribute(EntryAttribute.name, attribute, of: file)
            return true
        } catch {
            return false
        }
    }

    private func check(_ entry: StoredEntry?, _ reading: EntryAttribute.Reading) {
        switch reading {
        case .damaged: precondition(entry == nil, "a damaged attribute was accepted")
        case .unknown:
            precondition(entry?.payload == Self.content && entry?.records == [], "the entry was not found")
        case .valid(let attribute):
            let isTrue =
                attribute.payloadLength == UInt64(Self.content.count)
                && attribute.checksum == Checksum.of(Self.content)
            guard isTrue else { return precondition(entry == nil, "wrong metadata was accepted") }
            precondition(entry?.payload == Self.content, "the entry was not found, or differs")
            precondition(entry?.records == attribute.records, "the records differ")
            precondition(entry?.storedAt.map { $0 <= clock.now } == true, "stored in the future")
        }
    }

    /// Records of unknown kinds must be preserved.
    private func checkRenewal(of old: EntryAttribute) throws {
        let file = try system.openForReading(engine.path(of: name))
        guard case .valid(let new) = EntryAttribute.read(try system.attribute(EntryAttribute.name, of: file))
        else {
            preconditionFailure("a renewed attribute cannot be read")
        }
        precondition(new.records == old.records, "records were lost")
        precondition(new.lifetime == .seconds(50) && new.storedAt == clock.now, "the lifetime is wrong")
    }
}

private struct StoppedClock: StorageClock {
    var now: Date { Date(timeIntervalSince1970: 1_790_000_000) }
    func time(of moment: ContinuousClock.Instant) -> Date { now }
}
