internal import ComboCore
internal import ComboHTTP
internal import ComboMaps

/// The completion scripts of shells, generated from the option table.
enum Completions {
  enum Shell: String, CaseIterable, Sendable {
    case bash, zsh, fish
  }

  static func script(for shell: Shell) -> String {
    switch shell {
    case .bash: bash
    case .zsh: zsh
    case .fish: fish
    }
  }

  private enum Values {
    case none
    case words([String])
    case files
    /// A value without candidates.
    case unknown
  }

  private static func values(of option: Option) -> Values {
    switch option.kind {
    case .flag: .none
    case .choice(let words): .words(words)
    case .setting(.queueMerge): .words(QueueMerge.allCases.map(\.rawValue))
    case .setting(.queueOrder): .words(QueueOrder.allCases.map(\.rawValue))
    case .setting(.finals): .words(["true", "false"])
    case .settingNames: .words(["all", "none"])
    case .address: .words(["none", HTTPAddress.standard.text, "*:8080"])
    case .files: .files
    case .text where ["FILE", "FILE|none", "FOLDER"].contains(option.placeholder): .files
    case .text where option.placeholder == "NAME" && option.name == "print": .words(BuiltInMaps.names)
    case .text where option.name == "map": .files
    case .text, .topic, .topics, .topicPattern, .integer, .number, .share, .duration, .property, .source, .time, .setting,
      .variation:
      .unknown
    }
  }

  private static var commandsWithOptions: [Command] { Command.allCases.filter { !OptionTable.options(of: $0).isEmpty } }
  private static var commandsWithFile: [String] { Command.allCases.filter { $0.operand == "FILE" }.map(\.rawValue) }
  private static var shells: String { Shell.allCases.map(\.rawValue).joined(separator: " ") }

  /// Puts a backslash before each of the special characters.
  private static func escaped(_ text: String, _ special: String) -> String {
    text.reduce(into: "") { result, character in
      if special.contains(character) { result.append("\\") }
      result.append(character)
    }
  }

  // MARK: - bash

  private static var bash: String {
    var options = ""
    var values = ""
    for command in commandsWithOptions {
      let all = OptionTable.options(of: command)
      options += "    \(command.rawValue)) options='\(all.map { "--\($0.name)" }.joined(separator: " ")) --help' ;;\n"
      for option in all {
        let place = "    \(command.rawValue):--\(option.name))"
        switch Self.values(of: option) {
        case .none: break
        case .words(let words): values += "\(place) words='\(words.joined(separator: " "))' ;;\n"
        case .files: values += "\(place) kind=files ;;\n"
        case .unknown: values += "\(place) kind=unknown ;;\n"
        }
      }
    }
    return #"""
      # Completes combo-consumer in bash: source it, or put it into
      # /usr/share/bash-completion/completions/combo-consumer

      _combo_consumer() {
        local cur=${COMP_WORDS[COMP_CWORD]} option=${COMP_WORDS[COMP_CWORD-1]} command=${COMP_WORDS[1]}
        local options= words= kind=
        COMPREPLY=()
        # Bash takes `--name=value` for three words, and `HOST:PORT` too.
        if [[ $cur == = ]]; then
          cur=
        elif [[ $option == = ]]; then
          option=${COMP_WORDS[COMP_CWORD-2]}
        fi
        if ((COMP_CWORD == 1)); then
          COMPREPLY=($(compgen -W '\#(Command.allCases.map(\.rawValue).joined(separator: " ")) help --help --version' -- "$cur"))
          return
        fi
        case $command in
          config | help)
            if ((COMP_CWORD == 2)) && [[ $cur != -* ]]; then
              COMPREPLY=($(compgen -W '\#(Command.allCases.map(\.rawValue).joined(separator: " "))' -- "$cur"))
              return
            fi
            command=${COMP_WORDS[2]} ;;
          completions)
            COMPREPLY=($(compgen -W '\#(shells)' -- "$cur"))
            return ;;
        esac
        case $command:$option in
      \#(values)  esac
        if [[ -n $words ]]; then
          # A star is a word here, not a pattern for files.
          local -
          set -f
          COMPREPLY=($(compgen -W "$words" -- "$cur"))
          return
        fi
        case $kind in
          files)
            compopt -o filenames 2>/dev/null
            mapfile -t COMPREPLY < <(compgen -f -- "$cur")
            return ;;
          unknown) return ;;
        esac
        if [[ $cur != -* ]]; then
          if [[ $command == @(\#(commandsWithFile.joined(separator: "|"))) ]]; then
            compopt -o filenames 2>/dev/null
            mapfile -t COMPREPLY < <(compgen -f -- "$cur")
          fi
          return
        fi
        case $command in
      \#(options)    -*) options='\#(OptionTable.options(of: .run).map { "--\($0.name)" }.joined(separator: " ")) --help' ;;
        esac
        COMPREPLY=($(compgen -W "$options" -- "$cur"))
      }

      complete -F _combo_consumer combo-consumer

      """#
  }

  // MARK: - zsh

  private static var zsh: String {
    func quoted(_ text: String) -> String {
      "'" + text.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "'\\''") + "'"
    }
    func escaped(_ text: String) -> String { Self.escaped(text, "[]:\\") }
    var cases = ""
    for command in commandsWithOptions {
      cases += "    \(command.rawValue))\n      _arguments -S \\\n"
      for option in OptionTable.options(of: command) {
        let name = "\(option.isRepeatable ? "*" : "")--\(option.name)"
        let help = "[\(escaped(option.help))]"
        let spec: String =
          switch values(of: option) {
          case .none: "\(name)\(help)"
          case .words(let words): "\(name)=\(help):\(escaped(option.placeholder)):(\(words.map(escaped).joined(separator: " ")))"
          case .files: "\(name)=\(help):\(escaped(option.placeholder)):_files"
          case .unknown: "\(name)=\(help):\(escaped(option.placeholder)): "
          }
        cases += "        \(quoted(spec)) \\\n"
      }
      let operand = command.operand == "FILE" ? " '1:FILE:_files'" : command.operand.map { " '1:\($0): '" } ?? ""
      cases += "        '(- *)--help[prints its options]'\(operand) ;;\n"
    }
    let commands = Command.allCases.map { "    \(quoted("\($0.rawValue):\(escaped($0.summary))"))\n" }.joined()
    return #"""
      #compdef combo-consumer
      # Completes combo-consumer in zsh: put it into a folder of $fpath, as _combo-consumer.

      _combo_consumer() {
        local -a commands
        commands=(
      \#(commands)  )
        if (( CURRENT == 2 )); then
          _describe -t commands command commands
          return
        fi
        local command=$words[2]
        if [[ $command == (config|help) ]]; then
          if (( CURRENT == 3 )); then
            _describe -t commands command commands
            return
          fi
          command=$words[3]
          shift words
          (( CURRENT-- ))
        fi
        shift words
        (( CURRENT-- ))
        case $command in
      \#(cases)    completions) _arguments '1:SHELL:(\#(shells))' ;;
        esac
      }

      if [[ $funcstack[1] == _combo-consumer ]]; then
        _combo_consumer "$@"
      else
        compdef _combo_consumer combo-consumer
      fi

      """#
  }

  // MARK: - fish

  private static var fish: String {
    func quoted(_ text: String) -> String { "'\(escaped(text, "'\\"))'" }
    var lines = [
      "# Completes combo-consumer in fish: put it into ~/.config/fish/completions/combo-consumer.fish", "",
      "complete -c combo-consumer -f",
    ]
    for command in Command.allCases {
      lines.append("complete -c combo-consumer -n __fish_use_subcommand -a \(command.rawValue) -d \(quoted(command.summary))")
    }
    // The words before the cursor's: the program and `config`.
    let second = "'__fish_seen_subcommand_from config help; and test (count (commandline -opc)) -eq 2'"
    lines.append("complete -c combo-consumer -n \(second) -a '\(Command.allCases.map(\.rawValue).joined(separator: " "))'")
    lines.append("complete -c combo-consumer -n '__fish_seen_subcommand_from completions' -a '\(shells)'")
    lines.append("complete -c combo-consumer -n '__fish_seen_subcommand_from \(commandsWithFile.joined(separator: " "))' -F")
    for command in commandsWithOptions {
      let seen = "complete -c combo-consumer -n '__fish_seen_subcommand_from \(command.rawValue)'"
      lines.append("\(seen) -l help -d 'prints its options'")
      for option in OptionTable.options(of: command) {
        let hasArgument: String =
          switch values(of: option) {
          case .none: ""
          case .words(let words): " -x -a \(quoted(words.joined(separator: " ")))"
          case .files: " -r -F"
          case .unknown: " -x"
          }
        lines.append("\(seen) -l \(option.name)\(hasArgument) -d \(quoted(option.help))")
      }
    }
    return lines.joined(separator: "\n") + "\n"
  }
}
