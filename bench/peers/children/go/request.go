// SPDX-License-Identifier: MIT
// A request line: the work's name, then name=value with positive whole numbers.
package main

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

type request struct {
	work   string
	values map[string]int
}

func parse(line string) (request, error) {
	words := strings.Fields(line)
	if len(words) == 0 {
		return request{}, fmt.Errorf("an empty line is no request")
	}
	asked := request{words[0], map[string]int{}}
	for _, word := range words[1:] {
		name, text, _ := strings.Cut(word, "=")
		value, err := strconv.Atoi(text)
		if err != nil || value < 1 || value > 1_000_000_000 {
			return request{}, fmt.Errorf("%s: not name=number from 1 to 1000000000", word)
		}
		asked.values[name] = value
	}
	return asked, nil
}

// counts returns the values of these names, in their order.
func (asked request) counts(names ...string) ([]int, error) {
	values := make([]int, len(names))
	for i, name := range names {
		value, given := asked.values[name]
		if !given {
			return nil, fmt.Errorf("%s: %s is missing", asked.work, name)
		}
		values[i] = value
	}
	return values, nil
}

func milliseconds(count int) time.Duration { return time.Duration(count) * time.Millisecond }
