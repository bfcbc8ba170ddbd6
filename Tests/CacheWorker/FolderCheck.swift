import Foundation
import KingfisherStorage

/// The files of a cache folder, read without the engine.
struct FolderCheck: Equatable {
    /// Entries whose file is whole and has the name of the key inside.
    var whole: [String: Payload] = [:]
    var empty = 0, zeroed = 0, torn = 0
    var bytes = 0
    /// Unfinished files, in the staging folder or hidden in the cache folder.
    var staged = 0
    /// The bytes of interrupted downloads, which a sweep leaves within a limit.
    var partialBytes = 0

    var entries: Int { whole.count + damaged }
    var damaged: Int { empty + zeroed + torn }

    init(of folder: String) throws {
        for name in try FileManager.default.contentsOfDirectory(atPath: folder) {
            guard !name.hasPrefix(".") else {
                staged += 1
                continue
            }
            // Other processes may remove it at any time.
            guard let content = FileManager.default.contents(atPath: folder + "/" + name) else { continue }
            bytes += content.count
            switch Payload.judge(content) {
            case .whole(let payload) where Self.name(of: payload.key).rawValue == name: whole[name] = payload
            case .whole, .torn: torn += 1
            case .empty: empty += 1
            case .zeroed: zeroed += 1
            }
        }
        let staging = folder + ".staging"
        if FileManager.default.fileExists(atPath: staging) {
            for name in try FileManager.default.contentsOfDirectory(atPath: staging) {
                guard name.hasPrefix("partial-") else {
                    staged += 1
                    continue
                }
                let attributes = try? FileManager.default.attributesOfItem(atPath: staging + "/" + name)
                partialBytes += attributes?[.size] as? Int ?? 0
            }
        }
    }

    static func name(of key: Int) -> EntryName {
        FileNaming().name(forKey: "https://example.org/images/\(key).jpg")
    }
}
